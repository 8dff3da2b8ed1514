import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { kindOf } from './user.kinds';
import { USER_FIELD_LIST, type UserFields } from './user.fields';

/** A row of `users`. */
export interface User extends UserFields {
  organizationId: string;
}

/** The column of each field, and the columns derived from it. */
const columns = USER_FIELD_LIST.flatMap(({ name, column, kind, key }) => {
  const own: EntitySchemaColumnOptions = {
    name: column,
    type: kindOf(kind).type,
    primary: name === 'id',
    precision: kindOf(kind).precision,
  };
  const derived: EntitySchemaColumnOptions = { name: `${column}_key`, type: 'text', select: false };
  return [[name, own] as const, ...(key ? [[`${name}Key`, derived] as const] : [])];
});

export const User = new EntitySchema<User>({
  name: 'User',
  tableName: 'users',
  columns: {
    organizationId: { name: 'organization_id', type: 'text', primary: true },
    ...Object.fromEntries(columns),
  },
});
