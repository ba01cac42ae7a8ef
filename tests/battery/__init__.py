"""What the tests add to `semildp.audit`: broken mechanisms, and exact laws that take a second way to the truth."""
