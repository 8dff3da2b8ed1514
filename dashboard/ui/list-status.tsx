interface Props {
  list: { items?: unknown[]; isLoading: boolean; error: unknown; range?: string };
  singular: string;
  plural: string;
}

/** Shows and announces the number of items on the page, and on later pages where they are in the list. */
export function ListStatus({ list, singular, plural }: Props) {
  const { items, isLoading, error, range = '' } = list;
  const count = items?.length === 1 ? `1 ${singular}` : `${items?.length || 'No'} ${plural}`;
  const where = range && !range.startsWith('1–') ? `: ${range}` : '';
  return (
    <p class="quiet status" role="status">
      {isLoading ? 'Loading …' : error === undefined ? `${count} on this page${where}` : ''}
    </p>
  );
}
