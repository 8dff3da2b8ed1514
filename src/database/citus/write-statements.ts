import { escapeLiteral } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { tableName } from '../tables';
import type { Queryable } from './cluster';
import type { Step } from './steps';

/** Runs a statement that returns ids and times on the node of an organization. */
const FUNCTION = 'ums_run_at_node';

/** What a statement returns of each row that it has written. */
export interface Written {
  id: string;
  at: Date;
}

/**
 * Runs statements that write rows of one organization. A coordinator would send their steps one by one to the organization's node,
 * so on a cluster the node gets the whole statement, and runs the steps itself.
 */
export class WriteStatements {
  private constructor(
    private readonly manager: EntityManager,
    private readonly isDistributed: boolean,
  ) {}

  static async on(dataSource: DataSource): Promise<WriteStatements> {
    const [{ exists }] = await dataSource.query(`SELECT to_regproc($1) IS NOT NULL AS exists`, [
      tableName(dataSource, FUNCTION),
    ]);
    return new WriteStatements(dataSource.manager, exists);
  }

  /** The same in a transaction of a host, which the coordinator runs: a node that got a statement whole would commit it. */
  within(manager: EntityManager): WriteStatements {
    return new WriteStatements(manager, false);
  }

  async run(organizationId: string, [sql, values]: [string, unknown[]]): Promise<Written[]> {
    if (!this.isDistributed) return this.manager.query(sql, values);
    const text = inlined(await this.counted(sql), values);
    const call = `SELECT * FROM ${tableName(this.manager.dataSource, FUNCTION)}($1, $2)`;
    return this.manager.query(call, [organizationId, text]);
  }

  /** The numbers of sequences, from the coordinator: each node counts in a range of its own, and organizations move. */
  private async counted(sql: string): Promise<string> {
    const calls = sql.match(NEXT_NUMBER) ?? [];
    if (calls.length === 0) return sql;
    const [{ numbers }]: { numbers: string[] }[] = await this.manager.query(
      `SELECT ARRAY[${calls.join(', ')}]::text[] AS numbers`,
    );
    return sql.replace(NEXT_NUMBER, () => numbers.shift()!);
  }
}

const NEXT_NUMBER = /nextval\('[^']+'\)/g;

/** The statement with its values in the place of its parameters, because a function can execute it only so. */
const inlined = (sql: string, values: readonly unknown[]): string =>
  sql.replace(/\$(\d+)/g, (_, number: string) => literal(values[Number(number) - 1]));

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]::text[]`;
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  return escapeLiteral(value instanceof Date ? value.toISOString() : String(value));
}

/** The code of the function. */
const CODE = `
        DECLARE
          state text;
          reason text;
          place text;
        BEGIN
          RETURN QUERY EXECUTE statement;
        EXCEPTION WHEN OTHERS THEN
          -- Without the context and the detail, which have the values: the coordinator would log them. The index of a key
          -- that another transaction writes is named in the context alone.
          GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, reason = MESSAGE_TEXT, place = PG_EXCEPTION_CONTEXT;
          IF state = '55P03' THEN
            reason := concat_ws(' at ', reason, substring(split_part(place, E'\\n', 1) FROM 'idempotency_keys_pkey\\w*'));
          END IF;
          RAISE EXCEPTION USING ERRCODE = state, MESSAGE = reason;
        END `;

/** Creates the function on every node, or replaces an older one. A node waits for locks as long as a plain database does. */
export async function functionSteps(runner: Queryable): Promise<Step[]> {
  const [{ code }] = await runner.query(
    `SELECT (SELECT prosrc FROM pg_proc WHERE oid = to_regproc($1)) AS code`,
    [FUNCTION],
  );
  if (code === CODE) return [];
  const sql = `
        CREATE OR REPLACE FUNCTION ${FUNCTION}(organization text, statement text) RETURNS TABLE (id text, at timestamptz)
        LANGUAGE plpgsql SET search_path FROM CURRENT SET lock_timeout = '2s' AS $run$${CODE}$run$`;
  const what = `the function ${FUNCTION}, which runs the writes of an organization on its node`;
  if (code !== null) return [{ does: `replace ${what}`, sql }];
  return [
    { does: `create ${what}`, sql },
    {
      does: `let each node run ${FUNCTION} for its organizations`,
      sql: `SELECT create_distributed_function('${FUNCTION}(text, text)', 'organization', colocate_with => 'users')`,
    },
  ];
}
