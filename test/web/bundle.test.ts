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

test('the initial script is small: code for highlighting, diffs and dialogs is loaded when needed', () => {
  const scripts = parts.filter((path) => path.endsWith('.js'))
  const bytes = scripts.map((path) => gzipSync(readFileSync(join(folder, path)), { level: 9 }).length)
  expect(bytes).toHaveLength(1)
  expect(bytes[0]).toBeLessThanOrEqual(64_000)
  expect(readdirSync(join(folder, 'assets')).join(' ')).toMatch(/call-view-.*highlighter-.*panels-/)
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
