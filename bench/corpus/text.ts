// Text with the statistics that matter to an index: words by Zipf's law, punctuation, some unicode, code, images.

import type { Random } from './random.ts'
import { vocabulary } from './vocabulary.ts'

const unicode = ['naïve', '日本語のテスト', 'привет', '✓', '→', '—', '🚀', 'größe', 'café', '测试数据', '┌──┐', '│']
const punctuation = [
  ...[' ', ' ', ' ', ' ', ' ', ' ', ', ', '. ', ' = ', '(', ') ', ': ', '; ', ' => ', '.', '/', ' "', '" '],
  ...['\n', '\n  ', '\n    ', '\t', '_'],
]
const GREEN_TICK = '\u001b[32m✓\u001b[39m '
/** One in NEEDLE_EVERY texts has this word, for a search that must find exactly these. */
const NEEDLE = 'xyzzyNeedle42'
const NEEDLE_EVERY = 5000

export interface Text {
  word(): string
  prose(length: number): string
  mixed(length: number): string
  image(length: number): string
  /** Adds the word that a search must find to some texts. */
  maybeNeedle(text: string): string
  toolResult(): string
}

export function makeText(random: Random, totals: { needle: number }): Text {
  const { next, fraction, integer, pick, size, letters } = random

  const word = (): string => {
    const at = Math.floor(Math.exp(fraction() * Math.log(vocabulary.length))) - 1
    return vocabulary[at < vocabulary.length ? at : 0]!
  }

  // Long texts are cut from chunks made beforehand: much faster, and random enough.
  const chunks: string[] = []
  for (let i = 0; i < 160; i++) {
    let chunk = ''
    while (chunk.length < 16384) chunk += fraction() < 0.006 ? `${pick(unicode)} ` : word() + pick(punctuation)
    chunks.push(chunk)
  }
  const imageBytes = letters(1 << 16)

  const mixed = (length: number): string => {
    let text = ''
    while (text.length < length) {
      const chunk = pick(chunks)
      const from = next() % 12000
      text += withoutHalves(chunk.slice(from, from + Math.min(length - text.length, 4384)))
    }
    return text
  }

  const prose = (length: number): string => {
    let text = ''
    while (text.length < length) text += word() + (fraction() < 0.08 ? '. ' : fraction() < 0.05 ? '\n' : ' ')
    return text
  }

  /** With line numbers, as agents show files. */
  const code = (length: number): string => {
    const lines = mixed(length).split('\n')
    let number = integer(1, 400)
    return lines.map((line) => `${String(number++).padStart(6)}→${line}`).join('\n')
  }

  const image = (length: number): string => {
    let text = ''
    while (text.length < length) {
      const from = next() % 60000
      text += imageBytes.slice(from, from + Math.min(length - text.length, 5000))
    }
    return `iVBORw0KGgo${text}`
  }

  let texts = 0
  const maybeNeedle = (text: string): string => {
    if (++texts % NEEDLE_EVERY !== 0) return text
    totals.needle++
    return `${text} ${NEEDLE} `
  }

  /** Median 1.8 KB; one in fifty is large. */
  const toolResult = (): string => {
    const length = Math.min(fraction() < 0.02 ? integer(60000, 220000) : size(1800, 1.3), 250000)
    const kind = fraction()
    return maybeNeedle(kind < 0.45 ? code(length) : kind < 0.8 ? mixed(length) : GREEN_TICK + mixed(length))
  }

  return { word, prose, mixed, image, maybeNeedle, toolResult }
}

/** A cut may separate the two halves of a character. */
function withoutHalves(text: string): string {
  const first = text.charCodeAt(0)
  const last = text.charCodeAt(text.length - 1)
  const start = first >= 0xdc00 && first < 0xe000 ? 1 : 0
  const end = last >= 0xd800 && last < 0xdc00 ? text.length - 1 : text.length
  return text.slice(start, end)
}
