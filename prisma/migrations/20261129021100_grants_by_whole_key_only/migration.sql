-- "grants_by_user" begins with the same columns.
DROP INDEX "grants_tenant_id_user_id_organization_id_idx";
