import type { Client } from 'pg';
import { fillBy, ORGANIZATION } from './fill.ts';

/** The number of annotations for each document. */
export const IN_A_DOCUMENT = 50;

/**
 * Annotations in one organization, from the oldest to the newest, each with two comments, a
 * reaction and two subscribers.
 */
export const seedAnnotations = (database: Client, count: number): Promise<void> =>
  fillBy(database, count, [
    ORGANIZATION,
    `INSERT INTO folders (tenant_id, organization_id, folder_id)
     SELECT :tenant, 'acme', 'folder-' || n FROM generate_series(0, 9) AS n`,
    `INSERT INTO documents (tenant_id, organization_id, document_id, document_name, folder_id)
     SELECT :tenant, 'acme', 'document-' || n, 'Document ' || n, 'folder-' || n % 10
     FROM generate_series(0, (:count - 1) / ${IN_A_DOCUMENT}) AS n`,
    `INSERT INTO comment_annotations (tenant_id, organization_id, document_id, folder_id,
        annotation_id, annotation_number, type, author_id, from_user, status_id, status, resolved_by,
        location_key, agent_id, execution_id, agent_type, agent_source, agent_kind, visibility,
        created_at, last_updated, last_comment_at, last_comment_by, fields)
     SELECT :tenant, 'acme', 'document-' || n / ${IN_A_DOCUMENT},
        'folder-' || n / ${IN_A_DOCUMENT} % 10, 'annotation-' || n, n % ${IN_A_DOCUMENT} + 1,
        'comment', 'user-' || n % 100, jsonb_build_object('userId', 'user-' || n % 100,
          'name', 'User ' || n % 100), (ARRAY['OPEN', 'IN_PROGRESS', 'RESOLVED'])[n % 3 + 1],
        '{"id": "OPEN", "name": "Open", "type": "default"}', 'user-' || n % 100,
        'location-' || n % 100, 'agent-' || n % 100, 'execution-' || n % 100, 'custom', 'internal',
        'comment', '{"type": "public"}', n * 1000, n * 1000 + n % 7 * 5000, n * 1000,
        'user-' || n % 100, '{"location": {"id": "intro"}, "locationId": "intro"}'
     FROM generate_series(0, :count - 1) AS n`,
    `INSERT INTO annotation_counters (tenant_id, organization_id, document_id, last_number)
     SELECT tenant_id, organization_id, document_id, max(annotation_number)
     FROM comment_annotations WHERE tenant_id = :tenant GROUP BY 1, 2, 3`,
    `INSERT INTO comments (tenant_id, annotation_id, comment_id, author_id, from_user, content,
        created_at, last_updated)
     SELECT :tenant, 'annotation-' || n, c, 'user-' || n % 100,
        jsonb_build_object('userId', 'user-' || n % 100, 'name', 'User ' || n % 100),
        jsonb_build_object('commentText', 'Could this be shorter? ' || n,
          'commentHtml', '<p>Could this be <b>shorter</b>? ' || n || '</p>'), n * 1000, n * 1000
     FROM generate_series(0, :count - 1) AS n, generate_series(1, 2) AS c`,
    `INSERT INTO comment_reactions (tenant_id, annotation_id, comment_id, icon, user_id, reaction_id,
        "user", last_updated)
     SELECT :tenant, 'annotation-' || n, 1, 'THUMBS_UP', 'user-1', 'reaction-' || n,
        '{"userId": "user-1"}', n * 1000
     FROM generate_series(0, :count - 1) AS n`,
    `INSERT INTO annotation_users (tenant_id, annotation_id, user_id, organization_id, "user",
        subscription, mentioned, last_updated)
     SELECT :tenant, 'annotation-' || n, 'user-' || (n + u) % 100, 'acme',
        jsonb_build_object('userId', 'user-' || (n + u) % 100), 'auto', u = 1,
        n * 1000 + n % 7 * 5000
     FROM generate_series(0, :count - 1) AS n, generate_series(0, 1) AS u`,
  ]);
