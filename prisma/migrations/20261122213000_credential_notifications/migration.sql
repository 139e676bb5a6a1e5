-- Every process caches for a moment what credentials proved. These triggers publish the key or the
-- workspace whose credentials ended, or whose settings changed, to the processes that cache them.

CREATE FUNCTION notify_credentials_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('credentials_changed', owner)
  FROM (SELECT DISTINCT to_jsonb(ended) ->> TG_ARGV[0] AS owner FROM ended) AS owners;
  RETURN NULL;
END $$;

CREATE TRIGGER credentials_updated AFTER UPDATE ON "api_keys" REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION notify_credentials_changed('id');
CREATE TRIGGER credentials_deleted AFTER DELETE ON "api_keys" REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION notify_credentials_changed('id');
CREATE TRIGGER credentials_deleted AFTER DELETE ON "auth_tokens" REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION notify_credentials_changed('tenant_id');
CREATE TRIGGER credentials_deleted AFTER DELETE ON "workspace_auth_tokens" REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION notify_credentials_changed('workspace_id');
CREATE TRIGGER credentials_deleted AFTER DELETE ON "users" REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION notify_credentials_changed('tenant_id');

-- A trigger on a column cannot see a transition table.
CREATE FUNCTION notify_token_epoch_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('credentials_changed', OLD.tenant_id);
  RETURN NULL;
END $$;

CREATE TRIGGER token_epoch_changed AFTER UPDATE OF "token_epoch" ON "users"
  FOR EACH ROW WHEN (OLD.token_epoch IS DISTINCT FROM NEW.token_epoch)
  EXECUTE FUNCTION notify_token_epoch_changed();
