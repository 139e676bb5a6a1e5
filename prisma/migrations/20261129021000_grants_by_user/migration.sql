-- A single grant of a user is found by this index too, however many the user has in the organization.
CREATE INDEX "grants_by_user" ON "grants"("tenant_id", "user_id", "organization_id", "resource_type", "resource_id");
