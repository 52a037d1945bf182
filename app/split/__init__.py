"""The console, the provisioner and the product worker as three processes, each with what it may have and no more."""
