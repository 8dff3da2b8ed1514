import { useEffect, useState } from 'preact/hooks';

/** Copies selected text. `outcome` shows the result for three seconds. */
export function useCopy() {
  const [outcome, setOutcome] = useState('');
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(''), 3_000);
    return () => clearTimeout(timer);
  }, [outcome]);

  /** Copies `text`, which must be selected. Resolves to whether it succeeded. */
  const copySelected = async (text: string): Promise<boolean> => {
    const isCopied = await (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
      () => true,
      () => document.execCommand('copy'), // the clipboard API requires HTTPS
    );
    setOutcome(isCopied ? 'Copied' : 'Press Ctrl+C or ⌘C');
    return isCopied;
  };
  return { outcome, copySelected };
}
