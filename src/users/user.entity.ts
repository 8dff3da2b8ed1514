import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { kindOf } from './user.kinds';
import { USER_FIELD_LIST, type UserFields } from './user.fields';

/** A row of `users`. */
export interface User extends UserFields {
  organizationId: string;
}

/** The column of each field, and the columns derived from it. */
const columns = USER_FIELD_LIST.flatMap(({ name, column, kind, key, fold }) => {
  const derived = (suffix: string): [string, EntitySchemaColumnOptions] => [
    `${name}${suffix}`,
    { name: `${column}_${suffix.toLowerCase()}`, type: 'text', select: false },
  ];
  const own: EntitySchemaColumnOptions = {
    name: column,
    type: kindOf(kind).type,
    primary: name === 'id',
    precision: kindOf(kind).precision,
  };
  return [[name, own] as const, ...(key ? [derived('Key')] : []), ...(fold ? [derived('Fold')] : [])];
});

export const User = new EntitySchema<User>({
  name: 'User',
  tableName: 'users',
  columns: {
    organizationId: { name: 'organization_id', type: 'text', primary: true },
    ...Object.fromEntries(columns),
  },
});
