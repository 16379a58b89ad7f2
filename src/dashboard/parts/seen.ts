import type { RefCallback } from 'preact';
import { useCallback, useRef, useState } from 'preact/hooks';

/** Whether the element with the returned `ref` can be seen. */
export function useSeen<E extends Element>(): readonly [ref: RefCallback<E>, isSeen: boolean] {
  const [isSeen, setSeen] = useState(false);
  const observer = useRef<IntersectionObserver>(null);
  const ref = useCallback((element: E | null) => {
    observer.current?.disconnect();
    setSeen(false);
    if (element === null) return;
    observer.current = new IntersectionObserver((entries) => setSeen(entries.at(-1)!.isIntersecting));
    observer.current.observe(element);
  }, []);
  return [ref, isSeen];
}
