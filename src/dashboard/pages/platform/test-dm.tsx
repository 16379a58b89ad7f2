import { useState } from 'preact/hooks';
import { ApiError, ask } from '../../api/request.ts';
import { Action, tell } from '../../parts/action.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { t } from '../platforms.texts.ts';

/** Sends a test message to the person's own account of the platform; shows what the platform says to a failure. */
export function TestDm({ platform }: { readonly platform: string }) {
  const [error, setError] = useState<ApiError>();
  const test = async (): Promise<void> => {
    try {
      await ask('POST /api/platforms/{provider}/test-dm', { params: { provider: platform } });
      tell(t.testSent);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    }
  };
  return (
    <>
      <Action run={test} name={t.test} />
      {error && (
        <Dialog title={t.testFailed} onClose={() => setError(undefined)}>
          <p class="small quiet">{t.words}</p>
          <p>{error.message}</p>
          {error.suggestion !== null && <p class="small quiet">{t.suggestion}</p>}
          <p>{error.suggestion}</p>
          <div class="row">
            <Action run={() => report(platform, error)} done={t.reported} name={t.wrong} />
          </div>
        </Dialog>
      )}
    </>
  );
}

async function report(platform: string, { message, suggestion }: ApiError): Promise<void> {
  await ask('POST /api/feedback', {
    body: {
      message: t.wrong,
      surface: 'dashboard/platforms',
      provider: platform,
      error_detail: message,
      suggestion_shown: suggestion,
    },
  });
}
