"""The commands of `watchfloor`, one module per noun; `app.cli` is the table that names them."""
