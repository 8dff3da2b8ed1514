interface Props {
  list: { items?: unknown[]; isLoading: boolean; error: unknown };
  singular: string;
  plural: string;
}

/** Shows and announces the number of items on the page. */
export function ListStatus({ list, singular, plural }: Props) {
  const { items, isLoading, error } = list;
  const count = items?.length === 1 ? `1 ${singular}` : `${items?.length || 'No'} ${plural}`;
  return (
    <p class="quiet status" role="status">
      {isLoading ? 'Loading …' : error === undefined ? `${count} on this page` : ''}
    </p>
  );
}
