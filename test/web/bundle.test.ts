import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { builtFolder } from '../support/built.ts'

const folder = join(builtFolder(), 'web')
const html = readFileSync(join(folder, 'index.html'), 'utf8')
const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!)

test('the page refers to its own files only, and has no inline script or style, which its policy forbids', () => {
  expect(parts.filter((path) => !/^\.\/assets\/[\w.-]+$/.test(path) || !existsSync(join(folder, path)))).toEqual([])
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)|\son\w+=/)
})

/** A script and everything that it imports at once, by the beginnings of their names. */
function closure(name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known
  known.add(name)
  const text = readFileSync(join(folder, 'assets', name), 'utf8')
  for (const [, imported] of text.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([\w.-]+\.js)"/g)) closure(imported!, known)
  return known
}

function named(beginning: string): string {
  return readdirSync(join(folder, 'assets')).find((name) => name.startsWith(`${beginning}-`) && name.endsWith('.js'))!
}

function compressed(names: Iterable<string>): number {
  return [...names].reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(folder, 'assets', name)), { level: 9 }).length,
    0,
  )
}

test('each of the two apps is small, and loads nothing of the other; screens, dialogs, highlighting and diffs come when needed', () => {
  const [, first] = /<script[^>]* src="\.\/assets\/([\w.-]+)"/.exec(html)!
  expect(closure(first!).size).toBeLessThanOrEqual(2)
  const [chat, browser] = [named('chat'), named('browse')].map((name) => closure(name, closure(first!)))
  expect(compressed(chat!)).toBeLessThanOrEqual(68_000)
  expect(compressed(browser!)).toBeLessThanOrEqual(76_000)
  expect([...chat!].join(' ')).not.toMatch(/browse-|screens-|tabs-|dialogs-|call-view-|highlighter-|panels-/)
  expect([...browser!].join(' ')).not.toMatch(/chat-|screens-|tabs-|dialogs-|call-view-|highlighter-|panels-/)
  expect(readdirSync(join(folder, 'assets')).join(' ')).toMatch(
    /call-view-.*dialogs-.*highlighter-.*panels-.*screens-.*tabs-/,
  )
})

test('no file of the page contacts another host', () => {
  const scripts = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.js'))
  const calls = scripts.flatMap((name) => {
    const text = readFileSync(join(folder, 'assets', name), 'utf8')
    return [...text.matchAll(/(?:fetch|import|EventSource|WebSocket)\(\s*["'`](?:https?|wss?):[^"'`]*/g)].map(
      ([call]) => call,
    )
  })
  expect(calls).toEqual([])
})
