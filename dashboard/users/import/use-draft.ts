import { useState } from 'preact/hooks';
import type { Client } from '../../../client/index.ts';
import { proposeTargets } from '../../../csv/proposals.ts';
import type { Target } from '../../../csv/targets.ts';
import { useSession } from '../../session/session.ts';
import type { CsvHead } from './csv-file.ts';
import type { Rule } from './labels.ts';

/** A chosen file, and what a person has decided about it. */
export interface Draft {
  head: CsvHead;
  /** What was proposed for its columns, and what they become. */
  proposed: Target[];
  targets: Target[];
  rule: Rule;
}

/** They outlive the page, but not the session: nothing else holds its client. */
const drafts = new WeakMap<Client, Draft>();

export function useDraft() {
  const { client } = useSession();
  const [draft, set] = useState(() => drafts.get(client));
  const keep = (draft: Draft) => {
    drafts.set(client, draft);
    set(draft);
  };
  return {
    draft,
    begin: (head: CsvHead) => {
      const rows = head.rows.map(({ cells }) => cells);
      const proposed = proposeTargets(head.header, rows);
      keep({ head, proposed, targets: proposed, rule: draft?.rule ?? 'create' });
    },
    change: (changes: Partial<Draft>) => keep({ ...draft!, ...changes }),
    drop: () => {
      drafts.delete(client);
      set(undefined);
    },
    /** The page goes on with it, but does not return to it. */
    forget: () => void drafts.delete(client),
  };
}
