// Whether the page is being printed, when everything has to be rendered.
import { useLayoutEffect, useState } from 'preact/hooks';

export function usePrinting() {
  const [isPrinted, setPrinted] = useState(false);
  useLayoutEffect(() => {
    const media = matchMedia('print');
    const change = () => setPrinted(media.matches);
    media.addEventListener('change', change);
    return () => media.removeEventListener('change', change);
  }, []);
  return isPrinted;
}
