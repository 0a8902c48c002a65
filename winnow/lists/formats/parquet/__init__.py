"""Apache Parquet: columns of an Arrow schema, read and written in steps of rows."""
