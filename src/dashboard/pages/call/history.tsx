import { useEffect, useState } from 'preact/hooks';
import type { Call } from '../../api/items.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/action.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { useDraft, valuesOf } from '../../parts/draft.ts';
import { Choice, Field } from '../../parts/form.tsx';
import { Duration, Moment } from '../../parts/moment.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { Row, Rows } from '../../parts/rows.tsx';
import { texts } from '../../texts.ts';
import { otherSide } from './other-side.ts';

const t = texts.calls;
/** Nobody is asked for each letter. */
const TYPING_MS = 300;

/** The calls that are over, newest first, with filters. */
export function History() {
  const draft = useDraft({ search: '', platform: '', result: '' });
  const [search, setSearch] = useState('');
  const { search: typed, ...chosen } = valuesOf(draft);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const query = { state: 'ended', search, ...chosen };
  return (
    <Card title={t.past}>
      <div class="grid">
        <Field label={t.search} type="search" of={draft.search} maxLength={200} />
        <Choice label={t.platform} of={draft.platform} options={[['', t.all], ...t.callable]} />
        <Choice label={t.result} of={draft.result} options={[['', t.all], ...Object.entries(t.results)]} />
      </div>
      <Pages key={JSON.stringify(query)} query={query} />
    </Card>
  );
}

/** The newest calls, which are read again when one ends, and the older ones that were asked for. */
function Pages({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const first = useAnswer('GET /api/calls', { query }, { on: ['call_state', 'call_error'] });
  const [older, setOlder] = useState<readonly Call[]>([]);
  const [cursor, setCursor] = useState<string | null>();
  if (first.data === undefined)
    return first.error ? <ErrorNote error={first.error} /> : <p>{texts.loading}</p>;
  const next = cursor === undefined ? first.data.next_cursor : cursor;
  const more = async (): Promise<void> => {
    const page = await ask('GET /api/calls', { query: { ...query, cursor: next ?? '' } });
    setOlder([...older, ...page.calls]);
    setCursor(page.next_cursor ?? null);
  };
  const known = new Set(first.data.calls.map(({ call_id: id }) => id));
  return (
    <>
      <Rows
        of={[...first.data.calls, ...older.filter(({ call_id: id }) => !known.has(id))]}
        none={t.noPast}
        class="long"
      >
        {(call) => <PastRow key={call.call_id} {...call} />}
      </Rows>
      {next && <Action run={more}>{texts.more}</Action>}
    </>
  );
}

function PastRow(call: Call) {
  const {
    call_id: id,
    platform,
    direction,
    created_at: from,
    answered_at: answered,
    ended_at: to,
    termination,
  } = call;
  return (
    <Row
      title={otherSide(call)}
      href={`/calls/${id}`}
      note={
        <>
          {texts.platforms[platform]} · {t.directions[direction]} · <Moment iso={from} />
        </>
      }
    >
      {answered && <Duration from={answered} to={to} />}
      {termination && (
        <Badge tone={termination.result === 'completed' ? 'plain' : 'warn'}>
          {t.results[termination.result]}
        </Badge>
      )}
    </Row>
  );
}
