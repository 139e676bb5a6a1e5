-- The schema of release 0.2.0, whose last migration had this name. Upgrades skip no release, so a database
-- has all of it or nothing.

-- Owners may create this extension too, because PostgreSQL trusts it. A server without it is refused at
-- the start.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- The column of the plane that stands for a tenant, for comment_annotations_by_lifetime.
CREATE FUNCTION tenant_column(tenant_id text) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ('x' || substr(md5(tenant_id), 1, 8))::bit(32)::int::double precision
  $$;

CREATE TABLE workspaces (
    id TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    owner_email TEXT NOT NULL,
    owner_name TEXT NOT NULL,
    plan TEXT NOT NULL DEFAULT 'free',
    self_serve_production_keys BOOLEAN NOT NULL DEFAULT false,
    max_production_keys INTEGER,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT workspaces_pkey PRIMARY KEY (id)
);

CREATE TABLE workspace_auth_tokens (
    workspace_id TEXT COLLATE "C" NOT NULL,
    hash BYTEA NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT workspace_auth_tokens_pkey PRIMARY KEY (workspace_id, hash),
    CONSTRAINT workspace_auth_tokens_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE model_provider_keys (
    workspace_id TEXT COLLATE "C" NOT NULL,
    provider TEXT NOT NULL,
    sealed_key TEXT NOT NULL,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT model_provider_keys_pkey PRIMARY KEY (workspace_id, provider),
    CONSTRAINT model_provider_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE api_keys (
    id TEXT COLLATE "C" NOT NULL,
    workspace_id TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL DEFAULT '',
    type TEXT NOT NULL,
    owner_email TEXT NOT NULL,
    persistence_db_region TEXT,
    realtime_db_region TEXT NOT NULL,
    allowed_domains TEXT[] DEFAULT ARRAY[]::TEXT[],
    enable_private_comments BOOLEAN NOT NULL DEFAULT false,
    require_auto_org_user BOOLEAN NOT NULL DEFAULT false,
    default_document_access_type TEXT,
    advanced_queries BOOLEAN NOT NULL DEFAULT true,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    disabled BOOLEAN NOT NULL DEFAULT false,
    token_generation INTEGER NOT NULL DEFAULT 0,
    allow_user_rewrites BOOLEAN NOT NULL DEFAULT false,
    default_access_role TEXT NOT NULL DEFAULT 'editor',
    quota_mails_per_day BIGINT,
    quota_model_tokens_per_day BIGINT,
    quota_storage_bytes BIGINT,
    token_revocations INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT api_keys_pkey PRIMARY KEY (id),
    CONSTRAINT api_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX api_keys_workspace_id_id_idx ON api_keys (workspace_id, id);

CREATE TABLE auth_tokens (
    tenant_id TEXT COLLATE "C" NOT NULL,
    hash BYTEA NOT NULL,
    sealed_token TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '',
    domains TEXT[] DEFAULT ARRAY[]::TEXT[],
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT auth_tokens_pkey PRIMARY KEY (tenant_id, hash),
    CONSTRAINT auth_tokens_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES api_keys(id) ON DELETE CASCADE
);

CREATE TABLE used_stream_tickets (
    tenant_id TEXT COLLATE "C" NOT NULL,
    ticket_id TEXT COLLATE "C" NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT used_stream_tickets_pkey PRIMARY KEY (tenant_id, ticket_id),
    CONSTRAINT used_stream_tickets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES api_keys(id) ON DELETE CASCADE
);
CREATE INDEX used_stream_tickets_expires_at_idx ON used_stream_tickets (expires_at);

CREATE TABLE idempotency_keys (
    tenant_id TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    request_hash BYTEA NOT NULL,
    sealed_answer TEXT,
    lease_until TIMESTAMPTZ(3) NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    owner TEXT,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, path, key)
);
CREATE INDEX idempotency_keys_expires_at_idx ON idempotency_keys (expires_at);

CREATE TABLE service_settings (
    tenant_id TEXT COLLATE "C" NOT NULL,
    use_email_service BOOLEAN NOT NULL DEFAULT false,
    email_service_config JSONB NOT NULL DEFAULT '{}',
    sealed_email_api_key TEXT,
    email_triggers JSONB NOT NULL DEFAULT '{}',
    use_webhook_service BOOLEAN NOT NULL DEFAULT false,
    webhook_service_config JSONB NOT NULL DEFAULT '{}',
    sealed_webhook_auth_token TEXT,
    use_notification_service BOOLEAN NOT NULL DEFAULT false,
    notification_triggers JSONB NOT NULL DEFAULT '{}',
    activity_service_config JSONB,
    notification_batching JSONB,
    notification_delay JSONB,
    use_advanced_webhooks BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT service_settings_pkey PRIMARY KEY (tenant_id),
    CONSTRAINT service_settings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES api_keys(id) ON DELETE CASCADE
);

CREATE TABLE quota_usages (
    tenant_id TEXT COLLATE "C" NOT NULL,
    measured_bytes BIGINT NOT NULL DEFAULT 0,
    accepted_bytes BIGINT NOT NULL DEFAULT 0,
    measure_ms INTEGER NOT NULL DEFAULT 0,
    measure_due_at TIMESTAMPTZ(3),
    day DATE NOT NULL,
    mails BIGINT NOT NULL DEFAULT 0,
    model_tokens BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT quota_usages_pkey PRIMARY KEY (tenant_id),
    CONSTRAINT quota_usages_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES api_keys(id) ON DELETE CASCADE
);
CREATE INDEX quota_usages_measure_due_at_idx ON quota_usages (measure_due_at);

CREATE TABLE organizations (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    organization_name TEXT,
    metadata JSONB NOT NULL DEFAULT '{}',
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    is_being_deleted BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT organizations_pkey PRIMARY KEY (tenant_id, organization_id)
);

CREATE TABLE folders (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    folder_id TEXT COLLATE "C" NOT NULL,
    folder_name TEXT,
    parent_folder_id TEXT COLLATE "C",
    access_type TEXT,
    metadata JSONB NOT NULL DEFAULT '{}',
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    is_being_deleted BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT folders_pkey PRIMARY KEY (tenant_id, organization_id, folder_id),
    CONSTRAINT folders_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations(tenant_id, organization_id) ON DELETE CASCADE,
    CONSTRAINT folders_tenant_id_organization_id_parent_folder_id_fkey FOREIGN KEY (tenant_id, organization_id, parent_folder_id) REFERENCES folders(tenant_id, organization_id, folder_id) ON DELETE CASCADE
);
CREATE INDEX folders_tenant_id_parent_folder_id_organization_id_idx ON folders (tenant_id, parent_folder_id, organization_id);

CREATE TABLE documents (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    document_name TEXT NOT NULL,
    disabled BOOLEAN NOT NULL DEFAULT false,
    access_type TEXT NOT NULL DEFAULT 'public',
    folder_id TEXT COLLATE "C",
    metadata JSONB NOT NULL DEFAULT '{}',
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT documents_pkey PRIMARY KEY (tenant_id, organization_id, document_id),
    CONSTRAINT documents_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations(tenant_id, organization_id) ON DELETE CASCADE,
    CONSTRAINT documents_tenant_id_organization_id_folder_id_fkey FOREIGN KEY (tenant_id, organization_id, folder_id) REFERENCES folders(tenant_id, organization_id, folder_id) ON DELETE CASCADE
);
CREATE INDEX documents_tenant_id_folder_id_organization_id_document_id_idx ON documents (tenant_id, folder_id, organization_id, document_id);

CREATE TABLE users (
    tenant_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    name TEXT,
    email TEXT,
    initial TEXT,
    metadata JSONB NOT NULL DEFAULT '{}',
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    token_epoch UUID DEFAULT gen_random_uuid(),
    CONSTRAINT users_pkey PRIMARY KEY (tenant_id, user_id)
);

CREATE TABLE user_groups (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    group_id TEXT COLLATE "C" NOT NULL,
    group_name TEXT,
    metadata JSONB NOT NULL DEFAULT '{}',
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT user_groups_pkey PRIMARY KEY (tenant_id, organization_id, group_id),
    CONSTRAINT user_groups_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations(tenant_id, organization_id) ON DELETE CASCADE
);

CREATE TABLE user_group_members (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    group_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT user_group_members_pkey PRIMARY KEY (tenant_id, organization_id, group_id, user_id),
    CONSTRAINT user_group_members_tenant_id_organization_id_group_id_fkey FOREIGN KEY (tenant_id, organization_id, group_id) REFERENCES user_groups(tenant_id, organization_id, group_id) ON DELETE CASCADE,
    CONSTRAINT user_group_members_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, user_id) ON DELETE CASCADE
);
CREATE INDEX user_group_members_tenant_id_user_id_idx ON user_group_members (tenant_id, user_id);

CREATE TABLE grants (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    resource_type TEXT NOT NULL,
    resource_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    access_role TEXT NOT NULL,
    expires_at BIGINT,
    context JSONB,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT grants_pkey PRIMARY KEY (tenant_id, organization_id, resource_type, resource_id, user_id),
    CONSTRAINT grants_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations(tenant_id, organization_id) ON DELETE CASCADE,
    CONSTRAINT grants_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, user_id) ON DELETE CASCADE
);
CREATE INDEX grants_tenant_id_user_id_organization_id_idx ON grants (tenant_id, user_id, organization_id);

CREATE TABLE event_outbox (
    tenant_id TEXT COLLATE "C" NOT NULL,
    "position" BIGSERIAL NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    type TEXT NOT NULL,
    organization_id TEXT COLLATE "C",
    document_id TEXT COLLATE "C",
    channels TEXT[],
    data JSON NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT event_outbox_pkey PRIMARY KEY (tenant_id, "position")
);
CREATE INDEX event_outbox_position_idx ON event_outbox ("position");

CREATE TABLE events (
    tenant_id TEXT COLLATE "C" NOT NULL,
    sequence BIGSERIAL NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    type TEXT NOT NULL,
    organization_id TEXT COLLATE "C",
    document_id TEXT COLLATE "C",
    channels TEXT[],
    data JSON NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT events_pkey PRIMARY KEY (tenant_id, sequence)
);
CREATE INDEX events_sequence_idx ON events (sequence);
CREATE INDEX events_tenant_id_id_idx ON events (tenant_id, id);

CREATE TABLE event_readers (
    name TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    CONSTRAINT event_readers_pkey PRIMARY KEY (name)
);

CREATE TABLE event_reader_partitions (
    name TEXT NOT NULL,
    partition INTEGER NOT NULL,
    sequence BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT event_reader_partitions_pkey PRIMARY KEY (name, partition),
    CONSTRAINT event_reader_partitions_name_fkey FOREIGN KEY (name) REFERENCES event_readers(name) ON DELETE CASCADE
);

CREATE TABLE event_retention (
    tenant_id TEXT COLLATE "C" NOT NULL,
    removed_through BIGINT NOT NULL,
    CONSTRAINT event_retention_pkey PRIMARY KEY (tenant_id)
);

CREATE TABLE presence (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    name TEXT,
    email TEXT,
    status TEXT NOT NULL,
    seen_at TIMESTAMPTZ(3) NOT NULL,
    lapsed BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT presence_pkey PRIMARY KEY (tenant_id, organization_id, document_id, user_id)
);
CREATE INDEX presence_seen_at_idx ON presence (seen_at);

CREATE TABLE presence_connections (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    process_id TEXT COLLATE "C" NOT NULL,
    CONSTRAINT presence_connections_pkey PRIMARY KEY (tenant_id, organization_id, document_id, user_id, process_id)
);
CREATE INDEX presence_connections_process_id_idx ON presence_connections (process_id);

CREATE TABLE presence_processes (
    id TEXT COLLATE "C" NOT NULL,
    seen_at TIMESTAMPTZ(3) NOT NULL,
    is_dead BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT presence_processes_pkey PRIMARY KEY (id)
);

CREATE TABLE recordings (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    recording_id TEXT COLLATE "C" NOT NULL,
    author_id TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    "position" BIGSERIAL NOT NULL,
    content JSONB NOT NULL,
    CONSTRAINT recordings_pkey PRIMARY KEY (tenant_id, organization_id, document_id, recording_id),
    CONSTRAINT recordings_tenant_id_organization_id_document_id_fkey FOREIGN KEY (tenant_id, organization_id, document_id) REFERENCES documents(tenant_id, organization_id, document_id) ON DELETE CASCADE
);
CREATE INDEX recordings_by_author ON recordings (tenant_id, author_id, organization_id, "position");

CREATE TABLE comment_annotations (
    tenant_id TEXT COLLATE "C" NOT NULL,
    annotation_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    folder_id TEXT COLLATE "C",
    annotation_number INTEGER NOT NULL,
    type TEXT NOT NULL,
    author_id TEXT COLLATE "C" NOT NULL,
    from_user JSONB NOT NULL,
    status_id TEXT COLLATE "C" NOT NULL,
    status JSONB NOT NULL,
    resolved_by TEXT COLLATE "C",
    location_key TEXT COLLATE "C",
    agent_id TEXT COLLATE "C",
    execution_id TEXT COLLATE "C",
    agent_type TEXT COLLATE "C",
    agent_source TEXT COLLATE "C",
    agent_kind TEXT COLLATE "C",
    visibility JSONB NOT NULL,
    access JSONB,
    fields JSONB NOT NULL DEFAULT '{}',
    next_comment_id BIGINT NOT NULL DEFAULT 1,
    created_at BIGINT NOT NULL,
    last_updated BIGINT NOT NULL,
    last_comment_at BIGINT NOT NULL,
    last_comment_by TEXT COLLATE "C" NOT NULL,
    CONSTRAINT comment_annotations_pkey PRIMARY KEY (tenant_id, annotation_id),
    CONSTRAINT comment_annotations_tenant_id_organization_id_document_id_fkey FOREIGN KEY (tenant_id, organization_id, document_id) REFERENCES documents(tenant_id, organization_id, document_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX comment_annotations_tenant_id_organization_id_document_id_a_key ON comment_annotations (tenant_id, organization_id, document_id, annotation_number);
CREATE INDEX comment_annotations_by_key ON comment_annotations (tenant_id, last_updated, annotation_id);
CREATE INDEX comment_annotations_by_organization ON comment_annotations (tenant_id, organization_id, last_updated, annotation_id);
-- Each filter of specification 4.5, in a whole key and in one organization, in the order in which pages
-- are read. They are partial where most annotations have no value.
CREATE INDEX comment_annotations_by_document_in_key ON comment_annotations (tenant_id, document_id, last_updated, annotation_id);
CREATE INDEX comment_annotations_by_document ON comment_annotations (tenant_id, organization_id, document_id, last_updated, annotation_id);
CREATE INDEX comment_annotations_by_folder_in_key ON comment_annotations (tenant_id, folder_id, last_updated, annotation_id) WHERE (folder_id IS NOT NULL);
CREATE INDEX comment_annotations_by_folder ON comment_annotations (tenant_id, organization_id, folder_id, last_updated, annotation_id) WHERE (folder_id IS NOT NULL);
CREATE INDEX comment_annotations_by_author_in_key ON comment_annotations (tenant_id, author_id, last_updated, annotation_id);
CREATE INDEX comment_annotations_by_author ON comment_annotations (tenant_id, organization_id, author_id, last_updated, annotation_id);
CREATE INDEX comment_annotations_by_status_in_key ON comment_annotations (tenant_id, status_id, last_updated, annotation_id);
CREATE INDEX comment_annotations_by_status ON comment_annotations (tenant_id, organization_id, status_id, last_updated, annotation_id);
CREATE INDEX comment_annotations_by_location_in_key ON comment_annotations (tenant_id, location_key, last_updated, annotation_id) WHERE (location_key IS NOT NULL);
CREATE INDEX comment_annotations_by_location ON comment_annotations (tenant_id, organization_id, location_key, last_updated, annotation_id) WHERE (location_key IS NOT NULL);
CREATE INDEX comment_annotations_by_resolved_by_in_key ON comment_annotations (tenant_id, resolved_by, last_updated, annotation_id) WHERE (resolved_by IS NOT NULL);
CREATE INDEX comment_annotations_by_resolved_by ON comment_annotations (tenant_id, organization_id, resolved_by, last_updated, annotation_id) WHERE (resolved_by IS NOT NULL);
CREATE INDEX comment_annotations_by_agent_in_key ON comment_annotations (tenant_id, agent_id, last_updated, annotation_id) WHERE (agent_id IS NOT NULL);
CREATE INDEX comment_annotations_by_agent ON comment_annotations (tenant_id, organization_id, agent_id, last_updated, annotation_id) WHERE (agent_id IS NOT NULL);
CREATE INDEX comment_annotations_by_execution_in_key ON comment_annotations (tenant_id, execution_id, last_updated, annotation_id) WHERE (execution_id IS NOT NULL);
CREATE INDEX comment_annotations_by_execution ON comment_annotations (tenant_id, organization_id, execution_id, last_updated, annotation_id) WHERE (execution_id IS NOT NULL);
CREATE INDEX comment_annotations_by_agent_type_in_key ON comment_annotations (tenant_id, agent_type, last_updated, annotation_id) WHERE (agent_type IS NOT NULL);
CREATE INDEX comment_annotations_by_agent_type ON comment_annotations (tenant_id, organization_id, agent_type, last_updated, annotation_id) WHERE (agent_type IS NOT NULL);
CREATE INDEX comment_annotations_by_agent_source_in_key ON comment_annotations (tenant_id, agent_source, last_updated, annotation_id) WHERE (agent_source IS NOT NULL);
CREATE INDEX comment_annotations_by_agent_source ON comment_annotations (tenant_id, organization_id, agent_source, last_updated, annotation_id) WHERE (agent_source IS NOT NULL);
CREATE INDEX comment_annotations_by_agent_kind_in_key ON comment_annotations (tenant_id, agent_kind, last_updated, annotation_id) WHERE (agent_kind IS NOT NULL);
CREATE INDEX comment_annotations_by_agent_kind ON comment_annotations (tenant_id, organization_id, agent_kind, last_updated, annotation_id) WHERE (agent_kind IS NOT NULL);
-- The annotations that were created before a time and changed at or after it. A lifetime is a box in a
-- column of the plane that stands for the tenant; so it needs no extension of PostgreSQL. Tenants that
-- share a column are told apart by the row. A box has a width, since GiST chooses pages by areas. Columns
-- are whole numbers, so that a half of one belongs to one tenant.
CREATE INDEX comment_annotations_by_lifetime ON comment_annotations USING gist (box(point(tenant_column(tenant_id), (created_at)::double precision), point((tenant_column(tenant_id) + (0.5)::double precision), (last_updated)::double precision)));

CREATE TABLE annotation_counters (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    last_number INTEGER NOT NULL,
    CONSTRAINT annotation_counters_pkey PRIMARY KEY (tenant_id, organization_id, document_id),
    CONSTRAINT annotation_counters_tenant_id_organization_id_document_id_fkey FOREIGN KEY (tenant_id, organization_id, document_id) REFERENCES documents(tenant_id, organization_id, document_id) ON DELETE CASCADE
);

CREATE TABLE comments (
    tenant_id TEXT COLLATE "C" NOT NULL,
    annotation_id TEXT COLLATE "C" NOT NULL,
    comment_id BIGINT NOT NULL,
    author_id TEXT COLLATE "C" NOT NULL,
    from_user JSONB NOT NULL,
    status TEXT NOT NULL DEFAULT 'added',
    content JSONB NOT NULL,
    created_at BIGINT NOT NULL,
    last_updated BIGINT NOT NULL,
    CONSTRAINT comments_pkey PRIMARY KEY (tenant_id, annotation_id, comment_id),
    CONSTRAINT comments_tenant_id_annotation_id_fkey FOREIGN KEY (tenant_id, annotation_id) REFERENCES comment_annotations(tenant_id, annotation_id) ON DELETE CASCADE
);
CREATE INDEX comments_tenant_id_author_id_created_at_annotation_id_comme_idx ON comments (tenant_id, author_id, created_at, annotation_id, comment_id);

CREATE TABLE annotation_users (
    tenant_id TEXT COLLATE "C" NOT NULL,
    annotation_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    "user" JSONB NOT NULL,
    subscription TEXT,
    mentioned BOOLEAN NOT NULL DEFAULT false,
    read_at BIGINT,
    last_updated BIGINT NOT NULL,
    CONSTRAINT annotation_users_pkey PRIMARY KEY (tenant_id, annotation_id, user_id),
    CONSTRAINT annotation_users_tenant_id_annotation_id_fkey FOREIGN KEY (tenant_id, annotation_id) REFERENCES comment_annotations(tenant_id, annotation_id) ON DELETE CASCADE
);
CREATE INDEX annotation_users_by_mention_in_key ON annotation_users (tenant_id, user_id, last_updated, annotation_id) WHERE mentioned;
CREATE INDEX annotation_users_by_mention ON annotation_users (tenant_id, organization_id, user_id, last_updated, annotation_id) WHERE mentioned;
-- The user precedes the organization: one index finds what a user has in one organization (4.16), and in
-- the whole key for an erasure.
CREATE INDEX annotation_users_by_user ON annotation_users (tenant_id, user_id, organization_id, annotation_id);

CREATE TABLE comment_reactions (
    tenant_id TEXT COLLATE "C" NOT NULL,
    annotation_id TEXT COLLATE "C" NOT NULL,
    comment_id BIGINT NOT NULL,
    icon TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    reaction_id TEXT COLLATE "C" NOT NULL,
    "user" JSONB NOT NULL,
    last_updated BIGINT NOT NULL,
    CONSTRAINT comment_reactions_pkey PRIMARY KEY (tenant_id, annotation_id, comment_id, icon, user_id),
    CONSTRAINT comment_reactions_tenant_id_annotation_id_comment_id_fkey FOREIGN KEY (tenant_id, annotation_id, comment_id) REFERENCES comments(tenant_id, annotation_id, comment_id) ON DELETE CASCADE
);
CREATE INDEX comment_reactions_tenant_id_user_id_last_updated_annotation_idx ON comment_reactions (tenant_id, user_id, last_updated, annotation_id);

CREATE TABLE notifications (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    notification_id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    location_id TEXT,
    location_hash TEXT COLLATE "C",
    created_ms BIGINT NOT NULL,
    "position" BIGSERIAL NOT NULL,
    source TEXT NOT NULL,
    access JSONB,
    content JSONB NOT NULL,
    annotation_id TEXT COLLATE "C",
    CONSTRAINT notifications_pkey PRIMARY KEY (tenant_id, organization_id, notification_id),
    CONSTRAINT notifications_tenant_id_organization_id_document_id_fkey FOREIGN KEY (tenant_id, organization_id, document_id) REFERENCES documents(tenant_id, organization_id, document_id) ON DELETE CASCADE
);
CREATE INDEX notifications_by_annotation ON notifications (tenant_id, annotation_id) WHERE (annotation_id IS NOT NULL);
-- The document precedes the organization, so that no index begins like the primary key.
CREATE INDEX notifications_by_document ON notifications (tenant_id, document_id, organization_id, created_ms, "position");
CREATE INDEX notifications_by_location ON notifications (tenant_id, document_id, organization_id, location_hash, created_ms, "position");

CREATE TABLE notification_recipients (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    notification_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    location_hash TEXT COLLATE "C",
    created_ms BIGINT NOT NULL,
    "position" BIGINT NOT NULL,
    read_ms BIGINT,
    CONSTRAINT notification_recipients_pkey PRIMARY KEY (tenant_id, organization_id, notification_id, user_id),
    CONSTRAINT notification_recipients_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, user_id) ON DELETE CASCADE
);
CREATE INDEX inboxes_by_user ON notification_recipients (tenant_id, user_id, organization_id, created_ms, "position");
CREATE INDEX inboxes_by_document ON notification_recipients (tenant_id, user_id, organization_id, document_id, created_ms, "position");
CREATE INDEX inboxes_by_location ON notification_recipients (tenant_id, user_id, organization_id, location_hash, created_ms, "position");
CREATE INDEX inboxes_by_document_and_location ON notification_recipients (tenant_id, user_id, organization_id, document_id, location_hash, created_ms, "position");
-- The unread notifications of an inbox, by document.
CREATE INDEX inboxes_unread ON notification_recipients (tenant_id, user_id, organization_id, document_id) WHERE (read_ms IS NULL);

CREATE TABLE notification_preferences (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    inbox TEXT,
    email TEXT,
    CONSTRAINT notification_preferences_pkey PRIMARY KEY (tenant_id, organization_id, user_id, document_id),
    CONSTRAINT notification_preferences_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations(tenant_id, organization_id) ON DELETE CASCADE,
    CONSTRAINT notification_preferences_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, user_id) ON DELETE CASCADE
);
CREATE INDEX notification_preferences_tenant_id_user_id_idx ON notification_preferences (tenant_id, user_id);
CREATE INDEX notification_preferences_tenant_id_document_id_organization_idx ON notification_preferences (tenant_id, document_id, organization_id);

CREATE TABLE held_notifications (
    tenant_id TEXT COLLATE "C" NOT NULL,
    annotation_id TEXT COLLATE "C" NOT NULL,
    event_id TEXT COLLATE "C" NOT NULL,
    opened_ms BIGINT NOT NULL,
    due_ms BIGINT NOT NULL,
    sequences BIGINT[],
    CONSTRAINT held_notifications_pkey PRIMARY KEY (tenant_id, annotation_id, event_id)
);
CREATE INDEX held_notifications_due_ms_idx ON held_notifications (due_ms);

CREATE TABLE mails (
    tenant_id TEXT COLLATE "C" NOT NULL,
    event_sequence BIGINT NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT mails_pkey PRIMARY KEY (tenant_id, event_sequence, user_id),
    CONSTRAINT mails_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, user_id) ON DELETE CASCADE
);
CREATE INDEX mails_tenant_id_user_id_idx ON mails (tenant_id, user_id);
CREATE INDEX mails_due_at_idx ON mails (due_at);
-- Mails that wait, tenant by tenant, so that one with many does not hold up the others.
CREATE INDEX mails_waiting ON mails (tenant_id, due_at) WHERE (state = 'waiting'::text);

CREATE TABLE crdt_documents (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    editor_id TEXT COLLATE "C" NOT NULL,
    log_id UUID NOT NULL,
    content_key TEXT,
    content_type TEXT,
    snapshot BYTEA,
    snapshot_version BIGINT NOT NULL DEFAULT 0,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_by TEXT,
    event_at TIMESTAMPTZ(3),
    event_due_at TIMESTAMPTZ(3),
    replaced_version BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT crdt_documents_pkey PRIMARY KEY (tenant_id, organization_id, document_id, editor_id),
    CONSTRAINT crdt_documents_tenant_id_organization_id_document_id_fkey FOREIGN KEY (tenant_id, organization_id, document_id) REFERENCES documents(tenant_id, organization_id, document_id) ON DELETE CASCADE
);
CREATE INDEX crdt_documents_event_due_at_idx ON crdt_documents (event_due_at);
CREATE UNIQUE INDEX crdt_documents_tenant_id_log_id_key ON crdt_documents (tenant_id, log_id);

-- What changes when a row takes one more update stands together, between what stays the same and the
-- earlier updates, so that PostgreSQL logs no more than that. Each update follows its length, in four
-- bytes. Pages are left mostly free, so that the new copy of a row has room beside the old one, and the
-- index needs no new entry.
CREATE TABLE crdt_updates (
    tenant_id TEXT COLLATE "C" NOT NULL,
    log_id UUID NOT NULL,
    first_version BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    user_id TEXT COLLATE "C",
    updates BYTEA NOT NULL,
    CONSTRAINT crdt_updates_pkey PRIMARY KEY (tenant_id, log_id, first_version),
    CONSTRAINT crdt_updates_tenant_id_log_id_fkey FOREIGN KEY (tenant_id, log_id) REFERENCES crdt_documents(tenant_id, log_id) ON DELETE CASCADE
) WITH (fillfactor = 10);

CREATE TABLE crdt_versions (
    tenant_id TEXT COLLATE "C" NOT NULL,
    log_id UUID NOT NULL,
    number INTEGER NOT NULL,
    version_id TEXT COLLATE "C" NOT NULL,
    name TEXT,
    version BIGINT NOT NULL,
    snapshot BYTEA NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL,
    created_by TEXT,
    CONSTRAINT crdt_versions_pkey PRIMARY KEY (tenant_id, log_id, number),
    CONSTRAINT crdt_versions_tenant_id_log_id_fkey FOREIGN KEY (tenant_id, log_id) REFERENCES crdt_documents(tenant_id, log_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX crdt_versions_tenant_id_version_id_key ON crdt_versions (tenant_id, version_id);

CREATE TABLE crdt_clients (
    tenant_id TEXT COLLATE "C" NOT NULL,
    log_id UUID NOT NULL,
    client_id BIGINT NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    CONSTRAINT crdt_clients_pkey PRIMARY KEY (tenant_id, log_id, client_id),
    CONSTRAINT crdt_clients_tenant_id_log_id_fkey FOREIGN KEY (tenant_id, log_id) REFERENCES crdt_documents(tenant_id, log_id) ON DELETE CASCADE
);

CREATE TABLE crdt_tombstones (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C" NOT NULL,
    editor_id TEXT COLLATE "C" NOT NULL,
    clients BIGINT[],
    deleted_at TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT crdt_tombstones_pkey PRIMARY KEY (tenant_id, organization_id, document_id, editor_id),
    CONSTRAINT crdt_tombstones_tenant_id_organization_id_document_id_fkey FOREIGN KEY (tenant_id, organization_id, document_id) REFERENCES documents(tenant_id, organization_id, document_id) ON DELETE CASCADE
);

CREATE TABLE activities (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    "position" BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    document_id TEXT COLLATE "C",
    feature_type TEXT NOT NULL,
    action_type TEXT NOT NULL,
    user_id TEXT COLLATE "C",
    content JSON NOT NULL,
    is_immutable BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL,
    previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    content_hash TEXT,
    content_salt TEXT,
    erased_at TIMESTAMPTZ(3),
    CONSTRAINT activities_pkey PRIMARY KEY (tenant_id, organization_id, "position"),
    CONSTRAINT activities_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations(tenant_id, organization_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX activities_tenant_id_organization_id_id_key ON activities (tenant_id, organization_id, id);
CREATE INDEX activities_tenant_id_organization_id_document_id_position_idx ON activities (tenant_id, organization_id, document_id, "position");
CREATE INDEX activities_tenant_id_organization_id_user_id_position_idx ON activities (tenant_id, organization_id, user_id, "position");
CREATE INDEX activities_tenant_id_organization_id_feature_type_position_idx ON activities (tenant_id, organization_id, feature_type, "position");
CREATE INDEX activities_tenant_id_organization_id_action_type_position_idx ON activities (tenant_id, organization_id, action_type, "position");

CREATE TABLE activity_chains (
    tenant_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    length BIGINT NOT NULL DEFAULT 0,
    hash TEXT NOT NULL,
    CONSTRAINT activity_chains_pkey PRIMARY KEY (tenant_id, organization_id),
    CONSTRAINT activity_chains_tenant_id_organization_id_fkey FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations(tenant_id, organization_id) ON DELETE CASCADE
);

CREATE TABLE memory_judgments (
    tenant_id TEXT COLLATE "C" NOT NULL,
    record_id TEXT COLLATE "C" NOT NULL,
    "position" BIGSERIAL NOT NULL,
    organization_id TEXT COLLATE "C",
    document_id TEXT COLLATE "C",
    query TEXT NOT NULL,
    decision TEXT NOT NULL,
    side SMALLINT NOT NULL,
    reasoning TEXT,
    reviewer_id TEXT COLLATE "C",
    reviewer_name TEXT,
    judge_type TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    recorded_ms BIGINT NOT NULL,
    fingerprint BIGINT NOT NULL,
    terms TSVECTOR NOT NULL,
    organization_terms TSVECTOR NOT NULL,
    index_version SMALLINT NOT NULL DEFAULT 1,
    CONSTRAINT memory_judgments_pkey PRIMARY KEY (tenant_id, record_id)
);
CREATE INDEX memory_judgments_by_time ON memory_judgments (tenant_id, created_ms, "position");
CREATE INDEX memory_judgments_by_organization ON memory_judgments (tenant_id, organization_id, created_ms, "position");
CREATE INDEX memory_judgments_by_document ON memory_judgments (tenant_id, organization_id, document_id, created_ms, "position");
CREATE INDEX memory_judgments_by_reviewer ON memory_judgments (tenant_id, reviewer_id, created_ms, "position");
CREATE INDEX memory_judgments_by_decision ON memory_judgments (tenant_id, decision, created_ms, "position");
CREATE INDEX memory_judgments_by_judge_type ON memory_judgments (tenant_id, judge_type, created_ms, "position");
CREATE INDEX memory_judgments_by_fingerprint ON memory_judgments (tenant_id, fingerprint, created_ms);
-- Every search reads the list in which new judgments wait.
CREATE INDEX memory_judgments_terms ON memory_judgments USING gin (terms) WITH (gin_pending_list_limit = 256);
CREATE INDEX memory_judgments_organization_terms ON memory_judgments USING gin (organization_terms) WITH (gin_pending_list_limit = 256);
CREATE INDEX memory_judgments_to_reindex ON memory_judgments (tenant_id, created_ms) WHERE (index_version < 2);

CREATE TABLE memory_terms (
    tenant_id TEXT COLLATE "C" NOT NULL,
    term TEXT COLLATE "C" NOT NULL,
    judgments INTEGER NOT NULL,
    CONSTRAINT memory_terms_pkey PRIMARY KEY (tenant_id, term)
);

CREATE TABLE memory_spellings (
    tenant_id TEXT COLLATE "C" NOT NULL,
    written TEXT COLLATE "C" NOT NULL,
    ascii TEXT COLLATE "C" NOT NULL,
    term TEXT COLLATE "C" NOT NULL,
    judgments INTEGER NOT NULL,
    CONSTRAINT memory_spellings_pkey PRIMARY KEY (tenant_id, written)
);
-- An array of one element, because GIN takes no plain text. Entries of other tenants are passed over,
-- however many have the same words. New spellings are few, and wait in no list that searches would read.
CREATE INDEX memory_spellings_trigrams ON memory_spellings USING gin ((ARRAY[tenant_id]), ascii gin_trgm_ops) WITH (fastupdate = off);

CREATE TABLE memory_spellings_refills (
    tenant_id TEXT COLLATE "C" NOT NULL,
    recorded_ms BIGINT NOT NULL,
    walked_to TEXT NOT NULL DEFAULT '',
    CONSTRAINT memory_spellings_refills_pkey PRIMARY KEY (tenant_id)
);

CREATE TABLE memory_embeddings (
    tenant_id TEXT COLLATE "C" NOT NULL,
    record_id TEXT COLLATE "C" NOT NULL,
    model TEXT NOT NULL,
    vector BYTEA NOT NULL,
    CONSTRAINT memory_embeddings_pkey PRIMARY KEY (tenant_id, record_id),
    CONSTRAINT memory_embeddings_tenant_id_record_id_fkey FOREIGN KEY (tenant_id, record_id) REFERENCES memory_judgments(tenant_id, record_id) ON DELETE CASCADE
);
-- A vector is a little too long for a row by PostgreSQL's measure. Thousands are read at once, and each
-- would be looked up by itself.
ALTER TABLE memory_embeddings ALTER COLUMN vector SET STORAGE MAIN;

CREATE TABLE memory_configs (
    tenant_id TEXT COLLATE "C" NOT NULL,
    embeddings_enabled BOOLEAN NOT NULL,
    embeddings_provider TEXT NOT NULL,
    due_ms BIGINT,
    logged_ms BIGINT NOT NULL DEFAULT 0,
    walked_to TEXT NOT NULL DEFAULT '',
    CONSTRAINT memory_configs_pkey PRIMARY KEY (tenant_id)
);
CREATE INDEX memory_configs_due ON memory_configs (due_ms);

CREATE TABLE memory_calibrations (
    tenant_id TEXT COLLATE "C" NOT NULL,
    version INTEGER NOT NULL DEFAULT 0,
    slope DOUBLE PRECISION NOT NULL DEFAULT 0,
    examples INTEGER NOT NULL DEFAULT 0,
    fitted_ms BIGINT NOT NULL DEFAULT 0,
    due_ms BIGINT,
    CONSTRAINT memory_calibrations_pkey PRIMARY KEY (tenant_id)
);
CREATE INDEX memory_calibrations_due ON memory_calibrations (due_ms);

CREATE TABLE memory_watches (
    tenant_id TEXT COLLATE "C" NOT NULL,
    enabled BOOLEAN NOT NULL DEFAULT true,
    max_alerts_per_week INTEGER NOT NULL DEFAULT 3,
    enabled_alert_types TEXT[],
    severity_threshold SMALLINT NOT NULL DEFAULT 1,
    due_ms BIGINT,
    CONSTRAINT memory_watches_pkey PRIMARY KEY (tenant_id)
);
CREATE INDEX memory_watches_due ON memory_watches (due_ms);

CREATE TABLE memory_alerts (
    tenant_id TEXT COLLATE "C" NOT NULL,
    alert_id TEXT COLLATE "C" NOT NULL,
    alert_type TEXT NOT NULL,
    severity SMALLINT NOT NULL,
    subject TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    evidence JSONB NOT NULL,
    suggested_action TEXT,
    action_url TEXT,
    status TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    dismissed_ms BIGINT,
    dismissed_by JSONB,
    CONSTRAINT memory_alerts_pkey PRIMARY KEY (tenant_id, alert_id)
);
CREATE INDEX memory_alerts_by_gravity ON memory_alerts (tenant_id, status, severity, created_ms, alert_id);
CREATE INDEX memory_alerts_by_time ON memory_alerts (tenant_id, created_ms);
CREATE INDEX memory_alerts_by_subject ON memory_alerts (tenant_id, alert_type, subject, created_ms);

CREATE TABLE webhook_endpoints (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    "position" BIGSERIAL NOT NULL,
    url TEXT NOT NULL,
    description TEXT,
    filter_types TEXT[],
    channels TEXT[],
    disabled BOOLEAN NOT NULL DEFAULT false,
    rate_limit INTEGER,
    uid TEXT,
    metadata JSON,
    sealed_secret TEXT NOT NULL,
    sealed_previous_secrets TEXT,
    start_sequence BIGINT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL,
    updated_at TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX webhook_endpoints_tenant_id_position_idx ON webhook_endpoints (tenant_id, "position");
CREATE UNIQUE INDEX webhook_endpoints_tenant_id_uid_key ON webhook_endpoints (tenant_id, uid);

CREATE TABLE webhook_queues (
    tenant_id TEXT COLLATE "C" NOT NULL,
    endpoint_id TEXT COLLATE "C" NOT NULL,
    next_at TIMESTAMPTZ(3),
    version BIGINT NOT NULL DEFAULT 0,
    owner TEXT,
    last_due_at TIMESTAMPTZ(3),
    tokens DOUBLE PRECISION,
    tokens_at TIMESTAMPTZ(3),
    failing_since TIMESTAMPTZ(3),
    CONSTRAINT webhook_queues_pkey PRIMARY KEY (tenant_id, endpoint_id)
);
-- Queues without an owner, soonest first; those of each worker; those that have failed for longest.
CREATE INDEX webhook_queues_due ON webhook_queues (next_at) WHERE ((owner IS NULL) AND (next_at IS NOT NULL));
CREATE INDEX webhook_queues_owned ON webhook_queues (owner) WHERE (owner IS NOT NULL);
CREATE INDEX webhook_queues_failing ON webhook_queues (failing_since) WHERE (failing_since IS NOT NULL);

CREATE TABLE webhook_workers (
    id TEXT COLLATE "C" NOT NULL,
    seen_at TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT webhook_workers_pkey PRIMARY KEY (id)
);

CREATE TABLE webhook_deliveries (
    tenant_id TEXT COLLATE "C" NOT NULL,
    endpoint_id TEXT COLLATE "C" NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL,
    sequence BIGINT NOT NULL,
    event_id TEXT COLLATE "C" NOT NULL,
    event_type TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'pending',
    due_at TIMESTAMPTZ(3),
    settled_at TIMESTAMPTZ(3),
    attempts INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (tenant_id, endpoint_id, created_at, sequence)
);
CREATE INDEX webhook_deliveries_by_type ON webhook_deliveries (tenant_id, event_type, endpoint_id, created_at, sequence);
-- The pending deliveries of an endpoint, in their order.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (tenant_id, endpoint_id, due_at, sequence) WHERE (status = 'pending'::text);
-- The few deliveries that were not made yet, or not at all, for lists.
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (tenant_id, status, endpoint_id, created_at, sequence) WHERE (status <> 'delivered'::text);

CREATE TABLE webhook_attempts (
    tenant_id TEXT COLLATE "C" NOT NULL,
    endpoint_id TEXT COLLATE "C" NOT NULL,
    sequence BIGINT NOT NULL,
    number INTEGER NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL,
    status_code INTEGER,
    latency_ms INTEGER NOT NULL,
    error TEXT,
    excerpt TEXT,
    CONSTRAINT webhook_attempts_pkey PRIMARY KEY (tenant_id, endpoint_id, sequence, number)
);

CREATE TABLE erasures (
    tenant_id TEXT COLLATE "C" NOT NULL,
    job_id TEXT COLLATE "C" NOT NULL,
    people JSONB,
    request_hash TEXT,
    organization_ids TEXT[] DEFAULT ARRAY[]::TEXT[],
    tasks_count INTEGER NOT NULL,
    tasks_left TEXT[],
    cursor TEXT[] DEFAULT ARRAY[]::TEXT[],
    receipt JSONB NOT NULL DEFAULT '{}',
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_task_completed_at TIMESTAMPTZ(3),
    completed_at TIMESTAMPTZ(3),
    contents TEXT NOT NULL DEFAULT 'keep',
    CONSTRAINT erasures_pkey PRIMARY KEY (tenant_id, job_id)
);
CREATE UNIQUE INDEX erasures_tenant_id_request_hash_key ON erasures (tenant_id, request_hash);

CREATE TABLE processes (
    id TEXT COLLATE "C" NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    roles TEXT[],
    version TEXT NOT NULL,
    started_at TIMESTAMPTZ(3) NOT NULL,
    seen_at TIMESTAMPTZ(3) NOT NULL,
    stopped_at TIMESTAMPTZ(3),
    state JSONB NOT NULL,
    CONSTRAINT processes_pkey PRIMARY KEY (id)
);

CREATE TABLE process_metrics (
    process_id TEXT COLLATE "C" NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL,
    requests INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    latency INTEGER[],
    live_documents INTEGER NOT NULL,
    live_connections INTEGER NOT NULL,
    loop_delay_ms DOUBLE PRECISION NOT NULL,
    backlog JSONB NOT NULL,
    deliveries INTEGER NOT NULL DEFAULT 0,
    failed_deliveries INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT process_metrics_pkey PRIMARY KEY (process_id, at),
    CONSTRAINT process_metrics_process_id_fkey FOREIGN KEY (process_id) REFERENCES processes(id) ON DELETE CASCADE
);
CREATE INDEX process_metrics_at_idx ON process_metrics (at);

CREATE TABLE console_used_ids (
    id TEXT COLLATE "C" NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT console_used_ids_pkey PRIMARY KEY (id)
);
CREATE INDEX console_used_ids_expires_at_idx ON console_used_ids (expires_at);

CREATE TABLE key_sentinel (
    id TEXT COLLATE "C" NOT NULL,
    sealed_text TEXT NOT NULL,
    CONSTRAINT key_sentinel_pkey PRIMARY KEY (id)
);

CREATE TABLE schema_requirements (
    migration TEXT NOT NULL,
    CONSTRAINT schema_requirements_pkey PRIMARY KEY (migration)
);

-- When a document moves, its annotations get its folder, whoever moves it.
CREATE FUNCTION move_comment_annotations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "comment_annotations" SET "folder_id" = NEW."folder_id"
  WHERE "tenant_id" = NEW."tenant_id" AND "organization_id" = NEW."organization_id"
    AND "document_id" = NEW."document_id";
  RETURN NULL;
END
$$;
CREATE TRIGGER documents_move_comment_annotations AFTER UPDATE OF folder_id ON documents
  FOR EACH ROW WHEN ((old.folder_id IS DISTINCT FROM new.folder_id)) EXECUTE FUNCTION move_comment_annotations();

-- Inbox rows are written with their notification, in one statement, so they need no foreign key. Its check,
-- once for each recipient, was planned when the table was small, and the plan was kept while the table
-- grew. EXECUTE plans for the table as it is.
CREATE FUNCTION remove_notification_recipients() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'DELETE FROM notification_recipients r USING gone
    WHERE r.tenant_id = gone.tenant_id AND r.organization_id = gone.organization_id
      AND r.notification_id = gone.notification_id';
  RETURN NULL;
END $$;
CREATE TRIGGER notifications_remove_recipients AFTER DELETE ON notifications REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION remove_notification_recipients();

-- Immutable records are deleted only with their whole organization: then the cascade finds that the
-- organization is gone. They are changed only by an erasure, which removes the content with its salt, and
-- leaves the hashes. A setting of the transaction announces it, so that no other statement does it by
-- mistake.
CREATE FUNCTION refuse_change_of_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND NOT EXISTS (
        SELECT 1 FROM "organizations"
        WHERE "tenant_id" = OLD."tenant_id" AND "organization_id" = OLD."organization_id"
    ) THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' AND current_setting('activities.erasing', true) = 'on' THEN
        IF NEW."erased_at" IS NOT NULL AND NEW."content_salt" IS NULL
            AND to_jsonb(NEW) - ARRAY['user_id', 'content', 'content_salt', 'erased_at']
              = to_jsonb(OLD) - ARRAY['user_id', 'content', 'content_salt', 'erased_at']
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'An immutable activity record can be neither changed nor deleted.'
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER activities_immutable BEFORE DELETE OR UPDATE ON activities
  FOR EACH ROW WHEN (old.is_immutable) EXECUTE FUNCTION refuse_change_of_activity();

-- Every process remembers which readers of the log a key's settings turn on. This trigger publishes the
-- key whose settings changed.
CREATE FUNCTION notify_settings_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('settings_changed', COALESCE(NEW.tenant_id, OLD.tenant_id));
  RETURN NULL;
END $$;
CREATE TRIGGER settings_changed AFTER INSERT OR DELETE OR UPDATE ON service_settings
  FOR EACH ROW EXECUTE FUNCTION notify_settings_changed();

-- Every process caches for a moment what credentials proved. These triggers publish the key or the
-- workspace whose credentials ended, or whose settings changed, to the processes that cache them.
CREATE FUNCTION notify_credentials_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('credentials_changed', owner)
  FROM (SELECT DISTINCT to_jsonb(ended) ->> TG_ARGV[0] AS owner FROM ended) AS owners;
  RETURN NULL;
END $$;
CREATE TRIGGER credentials_updated AFTER UPDATE ON api_keys REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION notify_credentials_changed('id');
CREATE TRIGGER credentials_deleted AFTER DELETE ON api_keys REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION notify_credentials_changed('id');
CREATE TRIGGER credentials_deleted AFTER DELETE ON auth_tokens REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION notify_credentials_changed('tenant_id');
CREATE TRIGGER credentials_deleted AFTER DELETE ON workspace_auth_tokens REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION notify_credentials_changed('workspace_id');
CREATE TRIGGER credentials_deleted AFTER DELETE ON users REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION notify_credentials_changed('tenant_id');

-- A trigger on a column cannot see a transition table.
CREATE FUNCTION notify_token_epoch_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('credentials_changed', OLD.tenant_id);
  RETURN NULL;
END $$;
CREATE TRIGGER token_epoch_changed AFTER UPDATE OF token_epoch ON users
  FOR EACH ROW WHEN ((old.token_epoch IS DISTINCT FROM new.token_epoch)) EXECUTE FUNCTION notify_token_epoch_changed();

-- Processes of release 0.2.0 look for each of its migrations.
INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
SELECT gen_random_uuid(), '', name, now(), 1 FROM unnest('{
  20261121102941_foundation, 20261121104559_directory, 20261121115550_notifications,
  20261121115600_recordings, 20261121120100_comments, 20261121121000_presence,
  20261121122000_activity, 20261121164101_email, 20261121164242_memory, 20261121164406_webhooks,
  20261121164441_erasure, 20261121164659_live_frontends, 20261121164836_generated_notifications,
  20261121170314_crdt_versions, 20261121170500_annotations_by_creation,
  20261121175000_inboxes_without_reference, 20261121195419_memory_trigrams,
  20261121195917_versions_in_the_log, 20261121205950_memory_embeddings,
  20261121234022_annotation_lifetimes_with_width, 20261122000306_presence_by_process,
  20261122022252_memory_full_text, 20261122025502_crdt_updates_in_place,
  20261122133243_token_generations, 20261122133537_key_sentinel, 20261122133807_crdt_client_owners,
  20261122140025_user_rewrites_and_default_role, 20261122141144_idempotency_owners,
  20261122143000_erasure_contents, 20261122170710_quotas, 20261122213000_credential_notifications,
  20261122230000_settings_notifications, 20261122231000_pending_deletions,
  20261123042656_stream_tickets, 20261123075223_process_metrics, 20261123075419_console_used_ids,
  20261123083637_upgrades, 20261123083937_memory_calibrations, 20261123085200_delivery_counts,
  20261123090800_failing_endpoints, 20261123123655_keys_that_stay,
  20261123123656_keys_that_stay_validated, 20261123124900_event_reader_partitions,
  20261124154000_memory_index_version}'::text[]) AS name;
