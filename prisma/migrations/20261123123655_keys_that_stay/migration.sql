-- No key is ever updated, so no foreign key has to follow. Tables that are distributed by Citus must
-- have none that does. The next migration looks at the rows, which the old constraints have checked.
ALTER TABLE "activities" DROP CONSTRAINT "activities_tenant_id_organization_id_fkey",
  ADD CONSTRAINT "activities_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "activity_chains" DROP CONSTRAINT "activity_chains_tenant_id_organization_id_fkey",
  ADD CONSTRAINT "activity_chains_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_workspace_id_fkey",
  ADD CONSTRAINT "api_keys_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "auth_tokens" DROP CONSTRAINT "auth_tokens_tenant_id_fkey",
  ADD CONSTRAINT "auth_tokens_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "service_settings" DROP CONSTRAINT "service_settings_tenant_id_fkey",
  ADD CONSTRAINT "service_settings_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "used_stream_tickets" DROP CONSTRAINT "used_stream_tickets_tenant_id_fkey",
  ADD CONSTRAINT "used_stream_tickets_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "comment_annotations" DROP CONSTRAINT "comment_annotations_tenant_id_organization_id_document_id_fkey",
  ADD CONSTRAINT "comment_annotations_tenant_id_organization_id_document_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "document_id") REFERENCES "documents"("tenant_id", "organization_id", "document_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "annotation_counters" DROP CONSTRAINT "annotation_counters_tenant_id_organization_id_document_id_fkey",
  ADD CONSTRAINT "annotation_counters_tenant_id_organization_id_document_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "document_id") REFERENCES "documents"("tenant_id", "organization_id", "document_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "comments" DROP CONSTRAINT "comments_tenant_id_annotation_id_fkey",
  ADD CONSTRAINT "comments_tenant_id_annotation_id_fkey" FOREIGN KEY ("tenant_id", "annotation_id") REFERENCES "comment_annotations"("tenant_id", "annotation_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "annotation_users" DROP CONSTRAINT "annotation_users_tenant_id_annotation_id_fkey",
  ADD CONSTRAINT "annotation_users_tenant_id_annotation_id_fkey" FOREIGN KEY ("tenant_id", "annotation_id") REFERENCES "comment_annotations"("tenant_id", "annotation_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "comment_reactions" DROP CONSTRAINT "comment_reactions_tenant_id_annotation_id_comment_id_fkey",
  ADD CONSTRAINT "comment_reactions_tenant_id_annotation_id_comment_id_fkey" FOREIGN KEY ("tenant_id", "annotation_id", "comment_id") REFERENCES "comments"("tenant_id", "annotation_id", "comment_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "crdt_documents" DROP CONSTRAINT "crdt_documents_tenant_id_organization_id_document_id_fkey",
  ADD CONSTRAINT "crdt_documents_tenant_id_organization_id_document_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "document_id") REFERENCES "documents"("tenant_id", "organization_id", "document_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "crdt_updates" DROP CONSTRAINT "crdt_updates_tenant_id_log_id_fkey",
  ADD CONSTRAINT "crdt_updates_tenant_id_log_id_fkey" FOREIGN KEY ("tenant_id", "log_id") REFERENCES "crdt_documents"("tenant_id", "log_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "crdt_versions" DROP CONSTRAINT "crdt_versions_tenant_id_log_id_fkey",
  ADD CONSTRAINT "crdt_versions_tenant_id_log_id_fkey" FOREIGN KEY ("tenant_id", "log_id") REFERENCES "crdt_documents"("tenant_id", "log_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "crdt_tombstones" DROP CONSTRAINT "crdt_tombstones_tenant_id_organization_id_document_id_fkey",
  ADD CONSTRAINT "crdt_tombstones_tenant_id_organization_id_document_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "document_id") REFERENCES "documents"("tenant_id", "organization_id", "document_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "crdt_clients" DROP CONSTRAINT "crdt_clients_tenant_id_log_id_fkey",
  ADD CONSTRAINT "crdt_clients_tenant_id_log_id_fkey" FOREIGN KEY ("tenant_id", "log_id") REFERENCES "crdt_documents"("tenant_id", "log_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "documents" DROP CONSTRAINT "documents_tenant_id_organization_id_fkey",
  ADD CONSTRAINT "documents_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "documents" DROP CONSTRAINT "documents_tenant_id_organization_id_folder_id_fkey",
  ADD CONSTRAINT "documents_tenant_id_organization_id_folder_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "folder_id") REFERENCES "folders"("tenant_id", "organization_id", "folder_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "mails" DROP CONSTRAINT "mails_tenant_id_user_id_fkey",
  ADD CONSTRAINT "mails_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "users"("tenant_id", "user_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "folders" DROP CONSTRAINT "folders_tenant_id_organization_id_fkey",
  ADD CONSTRAINT "folders_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "folders" DROP CONSTRAINT "folders_tenant_id_organization_id_parent_folder_id_fkey",
  ADD CONSTRAINT "folders_tenant_id_organization_id_parent_folder_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "parent_folder_id") REFERENCES "folders"("tenant_id", "organization_id", "folder_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "memory_embeddings" DROP CONSTRAINT "memory_embeddings_tenant_id_record_id_fkey",
  ADD CONSTRAINT "memory_embeddings_tenant_id_record_id_fkey" FOREIGN KEY ("tenant_id", "record_id") REFERENCES "memory_judgments"("tenant_id", "record_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "notifications" DROP CONSTRAINT "notifications_tenant_id_organization_id_document_id_fkey",
  ADD CONSTRAINT "notifications_tenant_id_organization_id_document_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "document_id") REFERENCES "documents"("tenant_id", "organization_id", "document_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "notification_recipients" DROP CONSTRAINT "notification_recipients_tenant_id_user_id_fkey",
  ADD CONSTRAINT "notification_recipients_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "users"("tenant_id", "user_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "notification_preferences" DROP CONSTRAINT "notification_preferences_tenant_id_organization_id_fkey",
  ADD CONSTRAINT "notification_preferences_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "notification_preferences" DROP CONSTRAINT "notification_preferences_tenant_id_user_id_fkey",
  ADD CONSTRAINT "notification_preferences_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "users"("tenant_id", "user_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "grants" DROP CONSTRAINT "grants_tenant_id_organization_id_fkey",
  ADD CONSTRAINT "grants_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "grants" DROP CONSTRAINT "grants_tenant_id_user_id_fkey",
  ADD CONSTRAINT "grants_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "users"("tenant_id", "user_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "process_metrics" DROP CONSTRAINT "process_metrics_process_id_fkey",
  ADD CONSTRAINT "process_metrics_process_id_fkey" FOREIGN KEY ("process_id") REFERENCES "processes"("id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "quota_usages" DROP CONSTRAINT "quota_usages_tenant_id_fkey",
  ADD CONSTRAINT "quota_usages_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "recordings" DROP CONSTRAINT "recordings_tenant_id_organization_id_document_id_fkey",
  ADD CONSTRAINT "recordings_tenant_id_organization_id_document_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "document_id") REFERENCES "documents"("tenant_id", "organization_id", "document_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "user_groups" DROP CONSTRAINT "user_groups_tenant_id_organization_id_fkey",
  ADD CONSTRAINT "user_groups_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "user_group_members" DROP CONSTRAINT "user_group_members_tenant_id_organization_id_group_id_fkey",
  ADD CONSTRAINT "user_group_members_tenant_id_organization_id_group_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "group_id") REFERENCES "user_groups"("tenant_id", "organization_id", "group_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "user_group_members" DROP CONSTRAINT "user_group_members_tenant_id_user_id_fkey",
  ADD CONSTRAINT "user_group_members_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "users"("tenant_id", "user_id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "workspace_auth_tokens" DROP CONSTRAINT "workspace_auth_tokens_workspace_id_fkey",
  ADD CONSTRAINT "workspace_auth_tokens_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "model_provider_keys" DROP CONSTRAINT "model_provider_keys_workspace_id_fkey",
  ADD CONSTRAINT "model_provider_keys_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
