import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { AnswerOf, Reading } from '../api/answers.ts';
import { type Args, ask } from '../api/request.ts';
import type { Reads } from '../api/use-answer.ts';
import { texts } from '../texts.ts';
import { Action } from './action.tsx';
import { Read, Rows } from './layout.tsx';

interface ListProps<E extends Reading, T> extends Reads {
  readonly from: E;
  of(answer: AnswerOf<E>): readonly T[];
  /** The field that tells one from another. */
  readonly by: keyof T;
  /** The query of the page after the last of so many pages; null: there is none. */
  next?(last: AnswerOf<E>, pages: number): Args['query'] | null;
  /** What stands in place of none. */
  readonly none?: string;
  readonly class?: string;
  children(item: T): ComponentChildren;
}

/** A list of the gateway: its first page, which is kept fresh, and the others once they are asked for. */
export function List<E extends Reading, T>(props: ListProps<E, T>) {
  const { of, by, next, none, class: look, children, from, ...reads } = props;
  const [older, setOlder] = useState<readonly AnswerOf<E>[]>([]);
  return (
    <Read from={from} {...reads}>
      {(newest) => {
        const pages = [newest, ...older];
        const newestFirst = pages.toReversed().flatMap(of);
        const byId = new Map(newestFirst.map((item) => [item[by], item]));
        const items = pages.flatMap(of).filter((item) => byId.get(item[by]) === item);
        const following = next?.(pages.at(-1)!, pages.length);
        const more = async (): Promise<void> => {
          const { params = {}, query } = reads;
          setOlder([...older, await ask(from, { params, query: { ...query, ...following } })]);
        };
        return (
          <>
            <Rows of={items} none={none} class={look}>
              {(item) => <Fragment key={`${item[by]}`}>{children(item)}</Fragment>}
            </Rows>
            {following && <Action name={texts.more} run={more} />}
          </>
        );
      }}
    </Read>
  );
}
