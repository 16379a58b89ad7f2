import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/request.ts';
import type { Answer } from '../api/use-answer.ts';
import { texts } from '../texts.ts';

/** Why something failed, in the gateway's words, and what to do about it. */
export function ErrorNote({ error }: { readonly error: ApiError }) {
  return (
    <div class="banner bad" role="alert">
      <p>{error.message}</p>
      {error.suggestion !== null && <p>{error.suggestion}</p>}
    </div>
  );
}

/** What was read, once it was; meanwhile that it is being read, or why it cannot be. */
export function Loaded<T>({
  answer,
  children,
}: {
  readonly answer: Answer<T>;
  children(data: T): ComponentChildren;
}) {
  const { data, error } = answer;
  return (
    <>
      {error && error.status !== 0 && <ErrorNote error={error} />}
      {data === undefined ? !error && <p class="quiet">{texts.loading}</p> : children(data)}
    </>
  );
}

/** What stands in place of an empty list. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
