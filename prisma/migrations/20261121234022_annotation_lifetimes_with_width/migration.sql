-- A box without width has no area, and by their areas GiST chooses the page that a box goes to: the
-- pages came to overlap, and a look at one moment read hundreds of them. Columns of tenants are
-- whole numbers, so that half of one is still a tenant's own.
DROP INDEX "comment_annotations_by_lifetime";

CREATE INDEX "comment_annotations_by_lifetime" ON "comment_annotations" USING gist (
  box(point("tenant_column"("tenant_id"), "created_at"), point("tenant_column"("tenant_id") + 0.5, "last_updated"))
);
