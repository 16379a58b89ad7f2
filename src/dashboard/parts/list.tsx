import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { AnswerOf, Reading } from '../api/answers.ts';
import { type Args, ask } from '../api/request.ts';
import { type Freshness, useAnswer } from '../api/use-answer.ts';
import { texts } from '../texts.ts';
import { Action } from './action.tsx';
import { Loaded, Rows } from './layout.tsx';

interface ListProps<E extends Reading, T> extends Args, Freshness {
  readonly from: E;
  of(answer: AnswerOf<E>): readonly T[];
  idOf(item: T): string | number;
  /** The query of the page after the last of so many pages; null: there is none. */
  next?(last: AnswerOf<E>, pages: number): Args['query'] | null;
  /** What stands in place of none. */
  readonly none: string;
  readonly class?: string;
  children(item: T): ComponentChildren;
}

/** A list of the gateway: its first page, which is kept fresh, and the others once they are asked for. */
export function List<E extends Reading, T>(props: ListProps<E, T>) {
  const { from, params = {}, query, on, about, everyMs, of, idOf, next, none, children } = props;
  const first = useAnswer(from, { params, query }, { on, about, everyMs });
  const [older, setOlder] = useState<readonly AnswerOf<E>[]>([]);
  return (
    <Loaded answer={first}>
      {(newest) => {
        const pages = [newest, ...older];
        const byId = new Map(
          pages
            .toReversed()
            .flatMap(of)
            .map((item) => [idOf(item), item]),
        );
        const items = pages.flatMap(of).filter((item) => byId.get(idOf(item)) === item);
        const following = next?.(pages.at(-1)!, pages.length);
        const more = async (): Promise<void> => {
          const page = await ask(from, { params, query: { ...query, ...following } });
          setOlder([...older, page]);
        };
        return (
          <>
            <Rows of={items} none={none} class={props.class}>
              {(item) => <Fragment key={idOf(item)}>{children(item)}</Fragment>}
            </Rows>
            {following && <Action run={more}>{texts.more}</Action>}
          </>
        );
      }}
    </Loaded>
  );
}
