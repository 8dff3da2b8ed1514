import type { ColumnType } from 'typeorm';

interface Kind {
  /** The type of the column. */
  type: ColumnType & string;
  precision?: number;
  /** The SQL of the value as text that `toJson` takes. */
  asText: (column: string) => string;
  toJson: (text: string) => string;
}

const asIs = (text: string) => text;
const quoted = (text: string) => `"${text}"`;

/** The kinds of fields, and what each means to SQL and JSON. */
export const KINDS = {
  /** Text without a character that JSON escapes. */
  plain: { type: 'text', asText: asIs, toJson: quoted },
  text: { type: 'text', asText: asIs, toJson: (text) => JSON.stringify(text) },
  json: { type: 'json', asText: (column) => `${column}::text`, toJson: asIs },
  integer: { type: 'integer', asText: asIs, toJson: String },
  time: {
    type: 'timestamptz',
    precision: 3,
    asText: (column) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    toJson: quoted,
  },
} satisfies Record<string, Kind>;

export const kindOf = (name: keyof typeof KINDS): Kind => KINDS[name];
