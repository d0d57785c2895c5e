import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeContext } from '../../test/support/fake-terminal.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import { agents } from '../agents/_registry.ts'
import type { Io } from '../platform/io.ts'
import { main } from './main.ts'

async function ion(io: Io, argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const context = fakeContext(io)
  const code = await main(argv, context)
  return { code, out: context.out.text, err: context.err.text }
}

/** Each mistake is answered with what, why and what to type next. `HOME` stands for the scratch home. */
test.each<[argv: string[], code: number, err: string]>([
  [['import', 'HOME/nope'], 3, 'ion: file HOME/nope does not exist\n  -> ls HOME\n'],
  [['import', 'HOME/folder'], 2, 'ion: HOME/folder is a folder\n  -> give a file, not a folder\n'],
  [['snapshot', 'verify', 'HOME/nope'], 3, 'ion: file HOME/nope does not exist\n  -> ls HOME\n'],
  [['snapshot', 'list', 'HOME/folder'], 2, 'ion: HOME/folder is a folder\n  -> give a file, not a folder\n'],
  [['snapshot', 'create', 'HOME/nope/x.tar.gz'], 3, 'ion: folder HOME/nope does not exist\n  -> mkdir -p HOME/nope\n'],
  [['snapshot', 'frob', 'x'], 2, 'ion: unknown subcommand "frob"\n  -> one of: create, list, verify, restore\n'],
  [['modules', 'frob'], 2, 'ion: unknown subcommand "frob"\n  -> one of: path, audit, migrate\n'],
  [['modules', 'path'], 2, 'ion: no module name given\n  -> ion modules path coder/ion\n'],
  [
    ['capture', '--all', '3f2a'],
    2,
    'ion: --all, --watch, --verify and --agent cannot be combined with ids\n  -> ion capture <id>, or ion capture --all --agent <id>\n',
  ],
  [
    ['run', 'codex', '--headless', '--prompt-file', 'HOME/nope'],
    3,
    'ion: file HOME/nope does not exist\n  -> ls HOME\n',
  ],
  [['run', 'codex', '--headless', '--send'], 2, 'ion: --send needs a prompt\n  -> ion run codex --send "what next"\n'],
  [
    ['run', 'codex', '--headless', '--nudge'],
    3,
    'ion: this task was never started, so it cannot continue\n  -> ion run codex "what to do"\n',
  ],
  [
    ['run', 'codex', '--headless', '--json', 'x'],
    2,
    'ion: --json needs --dry-run\n  -> ion run codex --dry-run --json\n',
  ],
  [
    ['logs', 'codex'],
    3,
    'ion: no agent has run in the background yet, so there is no log\n  -> ion run <agent> --detach "what to do"; ion show <id> reads any session\n',
  ],
  [['logs', 'codx'], 3, 'ion: unknown agent or task "codx"\n  -> did you mean codex?\n'],
  [['attach', 'claud'], 3, 'ion: unknown agent or task "claud"\n  -> did you mean claude?\n'],
  [['stop', 'claud'], 3, 'ion: unknown agent or task "claud"\n  -> did you mean claude?\n'],
  [['attach'], 3, 'ion: there is no running task in any project\n  -> ion run <agent> --detach "what to do"\n'],
  [['stop', 'nope'], 3, 'ion: there is no task "nope" in ~\n  -> ion ps --all\n'],
  [['run', 'codex', '--task'], 2, 'ion: option --task needs a value\n  -> ion run --help\n'],
  [['sessions', '--since'], 2, 'ion: option --since needs a value\n  -> ion sessions --help\n'],
  [
    ['run', 'codex', '-p', 'fix'],
    2,
    "ion: unknown option '-p'\n  -> ion run --help; arguments for the agent go after --: ion run … -- -p\n",
  ],
  [
    ['run', 'codex', '--headless', '--nudge', '--send', 'x'],
    2,
    'ion: --nudge sends its own prompt, so another one cannot be given\n  -> --nudge alone asks the agent to continue; --send "…" sends your prompt instead\n',
  ],
  [
    ['import', 'HOME/notes.md'],
    2,
    'ion: line 1 of HOME/notes.md: not a session log (JSON Lines); nothing was imported\n  -> give a log that ion export --format jsonl wrote, an ATIF document, or a state file of agentapi\n',
  ],
  [
    ['modules', 'path', 'file'],
    1,
    'ion: HOME/text/file: part of the path is a file, not a folder\n  -> choose another place\n',
  ],
  [['rename'], 2, "ion: missing required argument 'id'\n  -> ion rename --help\n"],
  [
    ['tag', 'nope', 'x'],
    3,
    'ion: no session matches "nope"\n  -> ion sessions --all lists all; ion search finds sessions by their text\n',
  ],
  [
    ['tag', 'nope', 'two words'],
    2,
    'ion: "two words" is not a tag\n  -> a tag has up to 64 letters, digits and characters of -_./ and no spaces; it does not begin with -\n',
  ],
  [['tag', '--remove', 'nope'], 2, 'ion: no tags to remove are given\n  -> ion tag --remove <id> <tag>…\n'],
  [['pin', '--remove'], 2, 'ion: no session is given\n  -> ion pin --remove <id>; ion pin lists the pinned ones\n'],
  [['note', 'nope', '--edit', 'x'], 2, 'ion: a text, --edit and --remove cannot be combined\n  -> use one of them\n'],
  [['sessions', '--tag', 'x'], 1, 'ion: no session has the tag x\n  -> to tag a session: ion tag <id> <tag>\n'],
  [['search', 'tag:x'], 1, 'ion: no session has the tag x\n  -> to tag a session: ion tag <id> <tag>\n'],
])('ion %j', async (argv, code, err) => {
  const io = scratchIo()
  mkdirSync(join(io.home, 'folder'))
  writeFileSync(join(io.home, 'text'), '')
  writeFileSync(join(io.home, 'notes.md'), '# Notes\n\nNothing here.\n')
  const env = { ...io.env, CODER_MODULE_DATA_DIR: join(io.home, 'text') }
  const given = argv.map((word) => word.replace('HOME', io.home))
  const answer = await ion({ ...io, env }, given)
  expect({ ...answer, err: answer.err.replaceAll(io.home, 'HOME') }).toEqual({ code, out: '', err })
})

test('a refused plan and a session whose folder is gone say what to type next', async () => {
  const io = scratchIo()
  const program = join(io.home, 'codex')
  writeFileSync(program, `#!${process.execPath}\nconsole.log('codex-cli 0.100.0')\n`, { mode: 0o755 })
  const refused = await ion({ ...io, env: { ...io.env, PATH: io.home } }, ['run', 'codex', '--headless', '--dry-run'])
  expect([refused.code, refused.out.split('\n')[1]]).toEqual([2, '  -> ion run codex "what to do"'])

  const fixture = scratchIo(join(import.meta.dirname, '../agents/claude/fixtures/2.1.325'))
  const { err } = await ion(fixture, ['--resume', '0fe6896a', '--headless'])
  expect(err).toMatch(
    /^ion: the folder of session 0fe6896a-[0-9a-f-]{27} does not exist any more: \S+\n {2}-> if it was moved: cd to its new place, then ion --resume 0fe6896a-[0-9a-f-]{27} --here; ion show 0fe6896a-[0-9a-f-]{27} reads the session; mkdir -p \S+ creates the folder again\n$/,
  )
})

test('searching where there are no sessions says so', async () => {
  const { code, err } = await ion(scratchIo(), ['search', 'x'])
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('searched 0 sessions') })
})

test('the plan for an agent that is not installed is a refusal, as text and as JSON', async () => {
  const io = scratchIo()
  const plan = (...more: string[]) =>
    ion({ ...io, env: { ...io.env, PATH: io.home } }, ['run', 'codex', '--headless', '--dry-run', ...more, 'hello'])
  const text = await plan()
  expect([text.code, text.out, text.err]).toEqual([
    5,
    expect.stringMatching(/^refused: .*not installed.*\n {2}-> /),
    '',
  ])
  const json = await plan('--json')
  expect([json.code, JSON.parse(json.out), json.err]).toEqual([
    5,
    expect.objectContaining({ agent: 'codex', decision: 'refused', kind: 'not-installed', prompt: { action: 'skip' } }),
    '',
  ])
})

test('an unknown agent is reported with the known ones, without Ion itself', async () => {
  const known = agents.filter((agent) => !agent.isArchive).map(({ id }) => id)
  const { code, err } = await ion(scratchIo(), ['run', 'frob', 'x'])
  expect({ code, hint: err.split('\n')[1] }).toEqual({
    code: 3,
    hint: `  -> known: ${known.join(', ')}`,
  })
})
