import type { RefCallback } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

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

/** Keeps the end of what grows in sight, unless somebody has scrolled away from it. `newest` changes with each addition. */
export function useFollowed<E extends Element>(newest: unknown): RefCallback<E> {
  const [see, isSeen] = useSeen<E>();
  const end = useRef<E | null>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isSeen || isFirst.current) end.current?.scrollIntoView({ block: 'nearest' });
    isFirst.current = false;
  }, [newest]);
  return useCallback((element: E | null) => {
    end.current = element;
    see(element);
  }, []);
}
