import type { RefCallback, RefObject } from 'preact';
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

/** So near to the end somebody is who reads it. */
const NEAR_PX = 40;

/** Keeps the end of a list in sight, unless somebody has scrolled away from it. `newest` changes with each addition. */
export function useFollowed<E extends HTMLElement>(newest: unknown): RefObject<E> {
  const list = useRef<E>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const shown = list.current;
    if (shown === null) return undefined;
    // Also when the list becomes lower, as when a keyboard opens on a phone.
    const resized = new ResizeObserver(() => {
      if (isAtEnd.current) shown.scrollTop = shown.scrollHeight;
    });
    resized.observe(shown);
    shown.onscroll = () => {
      isAtEnd.current = shown.scrollHeight - shown.scrollTop - shown.clientHeight < NEAR_PX;
    };
    return () => resized.disconnect();
  }, [newest]);
  return list;
}
