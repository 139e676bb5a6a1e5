-- Which annotations were made before a time and changed at or after it: the ones that a list in the
-- order of changes would otherwise look for among all that are newer. A life is a box from its
-- beginning to its end, in a column of the plane that stands for the tenant; so it needs no
-- extension of PostgreSQL. Tenants that share a column are told apart by the row.
CREATE FUNCTION "tenant_column"(tenant_id TEXT) RETURNS double precision
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ('x' || substr(md5(tenant_id), 1, 8))::bit(32)::int::double precision
  $$;

CREATE INDEX "comment_annotations_by_lifetime" ON "comment_annotations" USING gist (
  box(point("tenant_column"("tenant_id"), "created_at"), point("tenant_column"("tenant_id"), "last_updated"))
);
