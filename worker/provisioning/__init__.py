"""Making a tenant's place and opening it: six steps, each recorded, each safe to repeat."""
