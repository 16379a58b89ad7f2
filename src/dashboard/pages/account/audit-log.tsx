import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/action.tsx';
import { Card, Loaded, Row, Rows } from '../../parts/layout.tsx';
import { Moment } from '../../parts/moment.tsx';
import { texts } from '../../texts.ts';

type Page = Answers['GET /api/audit-log'];

const t = texts.audit;

/** Who has changed what. */
export function AuditLog() {
  const first = useAnswer('GET /api/audit-log', { query: { limit: 20 } });
  const [older, setOlder] = useState<Page>();
  return (
    <Card title={t.title} hint={t.hint} class="wide">
      <Loaded answer={first}>
        {(newest) => {
          const { next_before: before } = older ?? newest;
          const known = older?.lines ?? [];
          const more = async (): Promise<void> => {
            const page = await ask('GET /api/audit-log', { query: { before: before ?? undefined } });
            setOlder({ ...page, lines: [...known, ...page.lines] });
          };
          return (
            <>
              <Rows of={[...newest.lines, ...known]} none={t.none} class="long">
                {({ id, action, subject, detail, by, created_at: at }) => (
                  <Row
                    key={id}
                    title={action}
                    note={
                      <>
                        <Moment iso={at} /> · {t.by[by] ?? by} {subject}
                      </>
                    }
                    below={Object.keys(detail).length > 0 && <code>{JSON.stringify(detail)}</code>}
                  />
                )}
              </Rows>
              {before !== null && <Action run={more}>{texts.more}</Action>}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
