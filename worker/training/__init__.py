"""Training a model on a dataset: asking for one takes nothing, doing it takes scikit-learn (the extra `ml`)."""
