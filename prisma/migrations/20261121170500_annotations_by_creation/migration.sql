-- Which annotations were made before a time and changed at or after it: the ones that a list in the
-- order of changes would otherwise look for among all that are newer. A trusted extension: whoever
-- owns the database may create it.
CREATE EXTENSION IF NOT EXISTS btree_gist;

CREATE INDEX "comment_annotations_by_lifetime" ON "comment_annotations"
  USING gist ("tenant_id", int8range("created_at", "last_updated", '(]'));
