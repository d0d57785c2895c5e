#!/usr/bin/env node
// @ts-check
// Plays Claude Code in a terminal: keeps a session, draws an alternate screen, answers what is typed. For test/e2e/detach.test.ts.
// Lines: "exit <n>" exits, "deaf" ignores SIGTERM from now on, "stubborn" also the end of its terminal, "trust" shows a dialog,
// "flood" prints a megabyte, "ask" asks the terminal for its cursor, "busy" shows a spinner until the next line.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const args = process.argv.slice(2)
if (args.includes('--version')) {
  console.log('2.1.325 (Claude Code)')
  process.exit(0)
}
if (process.env.TUI_FAILS) {
  console.log('cannot start: no credit')
  process.exit(7)
}
if (process.env.TUI_DIES) {
  // Draws its screen, and ends a while later with the reason, before anything is stored.
  process.stdout.write('\x1b[?1049hloading')
  setTimeout(() => {
    process.stdout.write('\x1b[?1049lthe database is damaged\r\n')
    process.exit(7)
  }, Number(process.env.TUI_DIES))
  await new Promise(() => {})
}
const given = (/** @type {string} */ flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined)
const isWarm = args.includes('--resume')
const session = given('--resume') ?? given('--session-id')
const prompt = args.includes('--') ? args.slice(args.indexOf('--') + 1).join(' ') : undefined
const cwd = process.cwd()
const file = join(process.env.HOME ?? '', '.claude', 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'), `${session}.jsonl`)
let count = isWarm ? readFileSync(file, 'utf8').split('\n').length : 0

/**
 * @param {string} type
 * @param {object} message
 */
function keep(type, message) {
  mkdirSync(dirname(file), { recursive: true })
  const common = {
    sessionId: session,
    cwd,
    version: '2.1.325',
    gitBranch: 'main',
    isSidechain: false,
    userType: 'external',
  }
  const uuid = `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`
  const parentUuid = count > 1 ? `00000000-0000-4000-8000-${String(count - 1).padStart(12, '0')}` : null
  appendFileSync(
    file,
    `${JSON.stringify({ ...common, type, uuid, parentUuid, timestamp: new Date().toISOString(), message })}\n`,
  )
}

/** @param {string} text */
function turn(text) {
  keep('user', { role: 'user', content: text })
  const content = [{ type: 'text', text: `done: ${text}` }]
  keep('assistant', {
    id: `msg_${count}`,
    type: 'message',
    role: 'assistant',
    model: 'fake-1',
    content,
    usage: { input_tokens: 1, output_tokens: 1 },
  })
  lines.push(`> ${text}`, `done: ${text}`)
}

/** @type {string[]} */
const lines = []
let typed = ''
let asked = ''
/** @type {NodeJS.Timeout | undefined} */
let wheel
function draw() {
  const { columns, rows } = process.stdout
  const shown = [`FAKE ${isWarm ? 'warm' : 'cold'} ${columns}x${rows}`, ...lines.slice(-(rows - 3)), asked].slice(
    0,
    rows - 1,
  )
  process.stdout.write(`\x1b[H\x1b[2J${shown.join('\r\n')}\x1b[${rows};1H\x1b[32m? ${typed}\x1b[0m`)
}

/** @param {string} line */
function act(line) {
  clearInterval(wheel)
  const [word, value] = line.split(' ')
  if (word === 'exit') {
    process.stdout.write('\x1b[?1049l\x1b[?25h\x1b[?2004l')
    process.exit(Number(value ?? 0))
  } else if (word === 'deaf') {
    process.on('SIGTERM', () => {})
    lines.push('deaf now')
  } else if (word === 'stubborn') {
    process.on('SIGTERM', () => {})
    process.on('SIGHUP', () => {})
    process.stdout.on('error', () => {})
    process.stdin.on('error', () => {}).on('end', () => {})
    setInterval(() => {}, 60_000)
    lines.push('stubborn now')
  } else if (word === 'trust') asked = 'Do you trust the files in this folder?'
  else if (word === 'flood') {
    for (let at = 0; at < 20_000; at++) process.stdout.write(`\x1b[Hflood ${at} ${'x'.repeat(40)}`)
    lines.push('flooded')
  } else if (word === 'ask') process.stdout.write('\x1b[c\x1b[5;7H\x1b[6n')
  else if (word === 'busy') wheel = setInterval(draw, 100)
  else turn(line)
}

process.stdout.write('\x1b[?1049h\x1b[?25l\x1b[?2004h')
process.stdin.setRawMode(true)
process.stdin.setEncoding('utf8').on('data', (/** @type {string} */ keys) => {
  if (keys.startsWith('\x1b[')) lines.push(`told ${JSON.stringify(keys)}`)
  else
    for (const key of keys) {
      if (key !== '\r') typed += key
      else {
        const line = typed
        typed = ''
        act(line)
      }
    }
  draw()
})
process.stdout.on('resize', draw)
if (prompt !== undefined) turn(prompt)
draw()
