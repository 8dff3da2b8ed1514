import { useEffect, useState } from 'preact/hooks';

/**
 * Takes a file that is dropped anywhere on the page, if `onFile` is given; says whether one is held over it. Browsers
 * would otherwise leave the page to show the file.
 */
export function useFileDrop(onFile: ((file: File | undefined) => void) | undefined): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = onFile ? 'copy' : 'none';
      if (onFile) setIsOver(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setIsOver(false);
    const drop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setIsOver(false);
      onFile?.(event.dataTransfer.files[0]);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  });
  return isOver;
}
