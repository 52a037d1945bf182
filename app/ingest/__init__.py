"""Taking in a dataset: from bytes of a stated format to records that are stored whole, or refused with the place."""
