// Users in a table like that of a small application: each write is one statement, and nothing else is stored.
import { newId, pool, readsOf, run } from './common.mjs';

const COLUMNS =
  'id, name, email, role, active, metadata, created_at AS "createdAt", updated_at AS "updatedAt"';
const CREATE = `
  INSERT INTO plain.users (id, organization_id, name, email, role, active, metadata)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  RETURNING ${COLUMNS}`;
const UPDATE = `
  UPDATE plain.users SET name = coalesce($3, name), email = coalesce($4, email), role = coalesce($5, role),
    active = coalesce($6, active), metadata = coalesce($7, metadata), updated_at = now()
  WHERE organization_id = $1 AND id = $2 RETURNING ${COLUMNS}`;
const DELETE = `DELETE FROM plain.users WHERE organization_id = $1 AND id = $2 RETURNING id`;

const one = (name, text, values) => run(pool, name, text, values).then(([row]) => row);

export const { get, list } = readsOf('plain.users', COLUMNS);

export const create = ({ organizationId }, { name, email, role, active, metadata }) =>
  one('create', CREATE, [newId('usr'), organizationId, name, email, role, active, metadata]);

export const update = ({ organizationId }, id, { name, email, role, active, metadata }) =>
  one('update', UPDATE, [organizationId, id, name, email, role, active, metadata]);

export const remove = ({ organizationId }, id) => one('delete', DELETE, [organizationId, id]);
