#!/usr/bin/env node
// @ts-check
// Plays Claude Code for the tests of "ion serve": keeps a session, draws its lines and an input box, accepts typed
// or pasted text. Messages: "exit <n>" exits; "trust" shows a dialog until the next Enter; "ask" asks for permission with
// three choices; "menu" shows something that is neither box nor question until Escape; "tool <n>" calls a tool that
// returns n characters; "slow <n>" answers in n pieces with a spinner; "write <n>" draws an answer of n lines while it is
// written and stores it at its end; "late <n>" stores the prompt only then too; "hang" works until Escape; "redraw" answers,
// and draws its screen again a moment later; "many <n> <size>" is n turns at once with answers of that size; "clock" answers
// with the time; "rewind <n>" goes back by n records; "lag <n>" accepts keys n milliseconds late from then on, and pastes
// twice as late. In a folder with a file "ask-first" it asks for permission before it takes the prompt of a new session.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const args = process.argv.slice(2)
if (args.includes('--version')) {
  console.log('2.1.325 (Claude Code)')
  process.exit(0)
}
const given = (/** @type {string} */ flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined)
const isWarm = args.includes('--resume')
const session = given('--resume') ?? given('--session-id') ?? '00000000-0000-4000-8000-00000000abcd'
const prompt = args.includes('--') ? args.slice(args.indexOf('--') + 1).join(' ') : undefined
const cwd = process.cwd()
const file = join(process.env.HOME ?? '', '.claude', 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'), `${session}.jsonl`)
let count = isWarm ? readFileSync(file, 'utf8').split('\n').length : 0

/**
 * The parent of the next record, if that is not the last one.
 * @type {number | undefined}
 */
let parent
const uuidOf = (/** @type {number} */ number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
/**
 * @param {string} type
 * @param {object} message
 */
function record(type, message) {
  const uuid = uuidOf(++count)
  const parentUuid = count > 1 ? uuidOf(parent ?? count - 1) : null
  parent = undefined
  const common = { sessionId: session, cwd, version: '2.1.325', isSidechain: false, userType: 'external' }
  return `${JSON.stringify({ ...common, type, uuid, parentUuid, timestamp: new Date().toISOString(), message })}\n`
}

/** @param {string[]} records */
function keep(...records) {
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, records.join(''))
}

const asked = (/** @type {string} */ text) => record('user', { role: 'user', content: text })
const said = (/** @type {object[]} */ ...content) =>
  record('assistant', { id: `msg_${count}`, type: 'message', role: 'assistant', model: 'fake-1', content, usage: {} })
const gave = (/** @type {string} */ id, /** @type {string} */ text) =>
  record('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] })

/** @type {string[]} */
const lines = []
let typed = ''
/** Keys take effect so many milliseconds later, and a paste twice as late. */
let lag = 0
let dialog = ''
const CHOICES = ['Yes', 'Yes, and do not ask again', 'No']
/**
 * The marked choice while it asks for permission.
 * @type {number | undefined}
 */
let marked
/** The prompt while something is asked before it. */
let waiting = !isWarm && existsSync(join(cwd, 'ask-first')) ? prompt : undefined
/** @type {NodeJS.Timeout | undefined} */
let wheel
/** Its prompt is not stored yet. */
let isLate = false
let turns = 0
function draw() {
  const { columns, rows } = process.stdout
  const box = '─'.repeat(Math.min(columns, 40))
  const asking = [box, ' Bash command', '', '   rm -rf build', '', ' Do you want to proceed?']
  const choices = CHOICES.map((label, index) => ` ${index === marked ? '❯' : ' '} ${index + 1}. ${label}`)
  const bottom = marked !== undefined ? [...asking, ...choices] : dialog !== '' ? [dialog] : [box, `❯ ${typed}`, box]
  const shown = [`FAKE ${isWarm ? 'warm' : 'cold'}`, ...lines.slice(-(Math.min(rows, 40) - 12)), ...bottom]
  process.stdout.write(`\x1b[H\x1b[2J${shown.join('\r\n').replaceAll('\n\r\n', '\r\n')}`)
}

/**
 * @param {() => void} done
 * @param {number} ms
 */
function busy(done, ms) {
  const began = Date.now()
  wheel = setInterval(() => {
    lines.splice(-1, 1, `working ${'|/-\\'[turns++ % 4]}`)
    if (Date.now() - began >= ms) {
      clearInterval(wheel)
      lines.pop()
      done()
    }
    draw()
  }, 60)
  lines.push('working')
}

/** @param {string} text */
function answer(text) {
  keep(said({ type: 'text', text }))
  lines.push(...text.split('\n'))
  draw()
}

/** @param {string} text */
function act(text) {
  clearInterval(wheel)
  if (marked !== undefined) {
    const chosen = CHOICES[marked]
    marked = undefined
    if (waiting === undefined) return keep(said({ type: 'text', text: `chose ${chosen}` }))
    const first = waiting
    waiting = undefined
    return act(first)
  }
  if (dialog !== '') {
    dialog = ''
    return
  }
  if (text === '') return
  const [word, value, size] = text.split(' ')
  const number = Number(value ?? 1)
  if (word === 'exit') {
    process.stdout.write('\x1b[?1049l\x1b[?25h\x1b[?2004l')
    process.exit(Number(value ?? 0))
  }
  if (word === 'rewind') {
    parent = count - number
    return
  }
  if (word === 'lag') lag = number
  if (word === 'trust') {
    dialog = 'Do you trust the files in this folder?'
    return
  }
  if (word === 'menu') {
    dialog = 'Pick a colour'
    return
  }
  isLate = word === 'late'
  if (!isLate) keep(asked(text))
  lines.push(...`> ${text}`.split('\n'))
  if (word === 'ask') marked = 0
  else if (word === 'tool') {
    keep(
      said({ type: 'thinking', thinking: 'which tool?' }),
      said({ type: 'tool_use', id: `call_${count}`, name: 'Read', input: { file_path: '/home/dev/a.txt' } }),
    )
    keep(gave(`call_${count - 1}`, 'x'.repeat(number)))
    answer('done with the tool')
  } else if (word === 'slow') {
    let left = number
    const piece = () => {
      answer(`piece ${number - left + 1}`)
      if (--left > 0) busy(piece, 250)
    }
    busy(piece, 250)
  } else if (word === 'write' || word === 'late') {
    const answer = Array.from({ length: number }, (_, at) => `line ${at + 1} of ${isLate ? text : 'the answer'}`)
    let written = 0
    wheel = setInterval(() => {
      if (written < number) lines.push(`${written === 0 ? '●' : ' '} ${answer[written++]}`)
      else {
        clearInterval(wheel)
        if (isLate) keep(asked(text))
        isLate = false
        keep(said({ type: 'text', text: answer.join('\n') }))
      }
      draw()
    }, 100)
  } else if (word === 'hang') busy(() => answer('never'), 600_000)
  else if (word === 'redraw') {
    answer(`done: ${text}`)
    setTimeout(() => {
      const redrawing = setInterval(draw, 100)
      setTimeout(() => clearInterval(redrawing), 400)
    }, 600)
  } else if (word === 'clock') answer(`at ${(performance.timeOrigin + performance.now()).toFixed(3)} ms`)
  else if (word === 'many') {
    const fill = ' lorem ipsum dolor'.repeat(Number(size ?? 0) / 18)
    const turn = (/** @type {unknown} */ _, /** @type {number} */ at) =>
      asked(`question ${at}`) + said({ type: 'text', text: `answer ${at}${fill}` })
    keep(...Array.from({ length: number }, turn))
    answer('that was many')
  } else answer(`done: ${text}`)
}

let isPasting = false
process.stdout.write('\x1b[?1049h\x1b[?2004h')
process.stdin.setRawMode(true)
process.stdin.setEncoding('utf8').on('data', (/** @type {string} */ keys) => {
  if (lag > 0) setTimeout(accept, keys.startsWith('\x1b[200~') ? lag * 2 : lag, keys)
  else accept(keys)
})
/** @param {string} keys */
function accept(keys) {
  for (const [key] of keys.matchAll(/\x1b\[20[01]~|\x1b\[[0-9;?]*[A-Za-z]|[\s\S]/g)) {
    if (key === '\x1b[200~') isPasting = true
    else if (key === '\x1b[201~') isPasting = false
    else if (marked !== undefined && key.startsWith('\x1b[')) {
      if (key === '\x1b[A') marked = Math.max(0, marked - 1)
      if (key === '\x1b[B') marked = Math.min(CHOICES.length - 1, marked + 1)
    } else if (dialog !== '' && key === '\x1b') dialog = ''
    else if (key === '\x15') typed = ''
    else if (key === '\x1b') {
      clearInterval(wheel)
      if (!isLate) keep(asked('[Request interrupted by user]'))
      isLate = false
      lines.push('interrupted')
    } else if (key.startsWith('\x1b')) continue
    else if (key === '\x7f' || key === '\b') typed = typed.slice(0, -1)
    else if (key === '\r' && !isPasting) {
      const text = typed
      typed = ''
      act(text)
    } else typed += key === '\r' ? '\n' : key
  }
  draw()
}
process.stdout.on('resize', draw)
if (waiting !== undefined) marked = 0
else if (prompt !== undefined) act(prompt)
draw()
