import { Link } from '../../router/link.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';

interface Props {
  /** The ids of the users before and after this one in the list. */
  previous: string | undefined;
  next: string | undefined;
}

/** Leads to the users beside this one in the list from which it was opened. */
export const Neighbours = ({ previous, next }: Props) => (
  <nav class="neighbours" aria-label="Users in the list">
    <Step to={previous} letter="K" title="Previous user" icon="previous" />
    <Step to={next} letter="J" title="Next user" icon="next" />
  </nav>
);

interface StepProps {
  /** Undefined at the end of the list. */
  to: string | undefined;
  letter: string;
  title: string;
  icon: IconName;
}

function Step({ to, letter, title, icon }: StepProps) {
  const path = to && `users/${to}`;
  const content = (
    <>
      <Icon name={icon} />
      <span class="unseen">{title}</span>
    </>
  );
  if (path)
    return (
      <Link to={path} title={`${title} (${letter})`} aria-keyshortcuts={letter}>
        {content}
      </Link>
    );
  return (
    <a role="link" aria-disabled="true">
      {content}
    </a>
  );
}
