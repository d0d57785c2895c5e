import type { Message, Part } from '../../src/server/contract.ts'

export function user(id: number, text: string): Message {
  return message(id, 'user', { type: 'text', text })
}

export function agent(id: number, ...parts: (Part | string)[]): Message {
  return message(
    id,
    'agent',
    ...parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part) as Part),
  )
}

function message(id: number, role: 'user' | 'agent', ...parts: Part[]): Message {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const time = new Date(Date.UTC(2026, 2, 12, 9, 0, id * 20)).toISOString()
  return { id, role, content: texts.join('\n\n'), time, parts, done: true }
}

export function call(id: string, name: string, input: unknown, result?: string, isError = false): Part[] {
  const use: Part = { type: 'tool_use', id, name, input }
  return result === undefined
    ? [use]
    : [use, { type: 'tool_result', tool_use_id: id, content: result, is_error: isError }]
}

/** A question of the agent that was answered at this time. */
export function answered(by: string, time: string, choice = 'Yes', details = 'npm test -- refunds'): Part {
  const question = 'Do you want to run this command?'
  const text = `${choice} · asked: ${question} · answered by ${by}`
  return { type: 'note', subtype: 'answered', text, answer: { question, details, choice, by, time } }
}

/** The same with times, each call after the one before: `[seconds, ...call]`. */
function timedCalls(...calls: readonly [seconds: number, ...Parameters<typeof call>][]): Part[] {
  let now = Date.UTC(2026, 2, 12, 9)
  return calls.flatMap(([seconds, ...made]) =>
    call(...made).map((part) => {
      if (part.type === 'tool_result') now += seconds * 1000
      return { ...part, time: new Date(now).toISOString() } as Part
    }),
  )
}

/** A long run of calls: reading, searching, a failed test, an edit. */
export function steps(): Part[] {
  const root = '/home/dev/shop'
  const read = (at: number): [number, ...Parameters<typeof call>] => {
    const file = ['webhook', 'ledger', 'provider', 'retry', 'amounts'][at]
    return [0.2 + at / 10, `s${at}`, 'Read', { file_path: `${root}/src/refunds/${file}.ts` }, long()]
  }
  return timedCalls(
    [0.4, 'g', 'Grep', { pattern: 'pay(', path: `${root}/src` }, 'src/refunds/webhook.ts\nsrc/jobs/nightly.ts'],
    ...[0, 1, 2, 3, 4].map(read),
    [6.2, 't1', 'Bash', { command: `cd ${root} && npm test -- refunds` }, 'FAIL\n  expected 1 payment, got 2', true],
    [
      0.3,
      'e1',
      'Edit',
      {
        file_path: `${root}/src/refunds/webhook.ts`,
        old_string: '  await pay(refund)\n  return ok()',
        new_string:
          '  if (await ledger.has(event.id)) return ok()\n  await ledger.add(event.id)\n  await pay(refund)\n  return ok()',
        replace_all: false,
      },
      `The file ${root}/src/refunds/webhook.ts has been updated.`,
    ],
    [0.2, 'w1', 'Write', { file_path: `${root}/src/refunds/ledger.test.ts`, content: 'test(1)\n' }, 'Created.'],
    [72, 't2', 'Bash', { command: `cd ${root} && npm test` }, '412 passed'],
  )
}

/** A typical task: reading, thinking, editing, a failure, an answer with code and a table. */
export function work(): Message[] {
  return [
    user(0, 'Some refunds are paid twice. Find out why, and fix it.\n\nThe webhook is in `src/refunds/`.'),
    agent(
      1,
      {
        type: 'thinking',
        text: 'The webhook may be delivered more than once.\n\nI should look at **idempotency** first.',
      },
      'I will look at the webhook first.',
      ...call(
        'c1',
        'Bash',
        { command: 'rg -n "refund" src --type ts', description: 'Find refund code' },
        'src/refunds/webhook.ts:14:  await pay(refund)\nsrc/refunds/webhook.ts:31:export async function pay(refund: Refund)',
      ),
      ...call('c2', 'Read', { file_path: '/home/dev/shop/src/refunds/webhook.ts' }, long()),
      ...call(
        'c3',
        'Edit',
        {
          file_path: '/home/dev/shop/src/refunds/webhook.ts',
          old_string: '  const refund = await load(event.id)\n  await pay(refund)\n  return ok()',
          new_string:
            '  const refund = await load(event.id)\n  // The provider repeats an event until it is answered.\n  if (await ledger.has(event.id)) return ok()\n  await ledger.add(event.id)\n  await pay(refund)\n  return ok()',
        },
        'The file has been updated.',
      ),
      ...call(
        'c4',
        'Bash',
        { command: 'npm test -- refunds' },
        'FAIL src/refunds/webhook.test.ts\n  expected 1 payment, got 2',
        true,
      ),
      'The events are **delivered more than once**, and `pay` did not look whether it had run before:\n\n```ts\nexport async function onEvent(event: RefundEvent): Promise<Response> {\n  // Asked before anything is paid\n  if (await ledger.has(event.id)) return ok()\n  const amount = 12.5\n  return pay(event, { amount, reason: "refund" })\n}\n```\n\n| case | before | after |\n|---|---:|---:|\n| one delivery | 1 | 1 |\n| three deliveries | 3 | 1 |\n\n- [x] the webhook asks the ledger\n- [ ] the nightly job, see [the issue](https://example.com/issues/7)',
    ),
    user(2, 'Good. And the nightly job?'),
    agent(
      3,
      ...call('c5', 'Bash', { command: 'grep -rn "pay(" jobs/' }, 'jobs/nightly.ts:8: await pay(refund)'),
      { type: 'note', subtype: 'compaction', text: 'conversation summarised' },
      'The nightly job calls `pay` as well. It now goes through the same check:\n\n```sh\nnpm test -- refunds jobs   # 42 passed\n```\n\nBoth paths are covered by a test that delivers the same event three times.',
    ),
  ]
}

function long(): string {
  return Array.from({ length: 400 }, (_, line) => `${line + 1}\tconst line${line} = ${line} // of the webhook`).join(
    '\n',
  )
}

/** Prompts and answers in turn, each with its number in the text. */
export function many(count: number): Message[] {
  return Array.from({ length: count }, (_, id) =>
    id % 2 === 0
      ? user(id, `Prompt number ${id}: what about part ${id % 37}?`)
      : agent(
          id,
          ...call(`m${id}`, 'Read', { file_path: `/home/dev/shop/part-${id}.ts` }, `export const part = ${id}`),
          `Answer number ${id}. ${'It is as it was, and it stays as it is. '.repeat(1 + (id % 9))}\n\n- one thing\n- another thing`,
        ),
  )
}

/** What a page must show as text, and never run or fetch. */
export const hostile = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 2">',
  '[click](javascript:window.hacked=3)',
  '![picture](https://example.com/track.png)',
  '<a href="data:text/html,<script>window.hacked=4</script>">x</a>',
  '<iframe srcdoc="<script>parent.hacked = 5</script>"></iframe>',
  '<div id="page" style="position:fixed;inset:0">over everything</div>',
  '<form action="/message" method="post"><input name="content"><button>go</button></form>',
  '```"><img src=x onerror="window.hacked=6">\n<svg onload="window.hacked=7">\n```',
  '<style>* { display: none }</style>',
  '[link](https://example.com/"onmouseover="window.hacked=8)',
  '_a_'.repeat(20_000),
  '\x1b[31mred\x1b[0m \u202egnp.exe',
].join('\n\n')

/** More nested quotes than a parser has stack for. */
export const deep = `${'> '.repeat(3_000)}the bottom`
