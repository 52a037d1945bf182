"""What can be said of a dataset by itself: pure functions, standard library only, exact where the definition is."""
