-- Inbox rows are written with their notification, in one statement, so a foreign key proves nothing
-- that is in doubt. Its check, once for each of 20 people, was planned when the table was small, and
-- the plan was kept while the table grew: then it read the organization's notifications each time.
ALTER TABLE "notification_recipients"
  DROP CONSTRAINT "notification_recipients_tenant_id_organization_id_notifica_fkey";

-- EXECUTE plans for the table as it is.
CREATE FUNCTION "remove_notification_recipients"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'DELETE FROM notification_recipients r USING gone
    WHERE r.tenant_id = gone.tenant_id AND r.organization_id = gone.organization_id
      AND r.notification_id = gone.notification_id';
  RETURN NULL;
END $$;

CREATE TRIGGER "notifications_remove_recipients" AFTER DELETE ON "notifications"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
  EXECUTE FUNCTION "remove_notification_recipients"();
