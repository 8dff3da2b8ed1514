import type { EntityManager } from 'typeorm';
import type { EventType } from '../events/event.types';
import { recordTokenEvent } from '../events/token-events';
import type { Caller } from '../http/caller';
import { STORED_COLUMNS, type Token, tokenJson } from './token.entity';
import type { TokenState } from './tokens.dto';

interface TokenChange {
  by: Caller;
  type: EventType;
  /** Steps of a statement, with commas between them. The last one is named `changed` and returns the token. */
  steps: string;
  values: unknown[];
  /** The state of the token after the change. */
  state: TokenState;
  /** SQL on the token for the id of the event's target. Default: the token itself. */
  target?: string;
  /** Further members of the event's data, as in `'days', 7`. */
  data?: string;
}

/** Changes a token and records its event, in one statement. Returns no token if the change has met none. */
export function changeToken(
  manager: EntityManager,
  { by, type, steps, values, state, target = 'id', data }: TokenChange,
): Promise<ChangedToken[]> {
  const members = [`'token', ${tokenJson(state)}`, ...(data ? [data] : [])];
  const recorded = recordTokenEvent(manager.dataSource, values, {
    by,
    type,
    target,
    data: `json_build_object(${members.join(', ')})`,
  });
  return manager.query(
    `WITH ${steps}, ${recorded} SELECT ${STORED_COLUMNS}, false AS expired FROM changed`,
    values,
  );
}

type ChangedToken = Omit<Token, 'organizationId' | 'hash'>;
