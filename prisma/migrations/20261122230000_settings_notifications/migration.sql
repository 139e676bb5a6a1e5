-- Every process remembers which readers of the log a key's settings turn on. This trigger publishes
-- the key whose settings changed.

CREATE FUNCTION notify_settings_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('settings_changed', COALESCE(NEW.tenant_id, OLD.tenant_id));
  RETURN NULL;
END $$;

CREATE TRIGGER settings_changed AFTER INSERT OR UPDATE OR DELETE ON "service_settings"
  FOR EACH ROW EXECUTE FUNCTION notify_settings_changed();
