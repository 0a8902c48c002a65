"""The pieces pages are drawn with: values in, what the user did out; never fetching anything."""
