import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fixtureHome, isLetIn, keptPaths } from '../../../test/support/backup-parts.ts'
import agent from './index.ts'

const day = 'sessions/2026/11/15/rollout-2026-11-15T'

describe('codex: the parts of a session', () => {
  const io = () => fixtureHome(agent, '0.166.0')

  test('its rollout, and an older compressed one if it exists', () => {
    const own = `${day}18-44-15-01a1e086-39e7-7601-bae1-7a18802c8b21.jsonl`
    expect(keptPaths(agent, '01a1e086-39e7-7601-bae1-7a18802c8b21', io())).toEqual([own, `${own}.zst`])
  })

  test('those of its sub-agents; a sub-agent has only its own', () => {
    const own = `${day}18-52-22-01a1e08d-a941-7703-bece-b8f1df2ff73b.jsonl`
    const child = `${day}18-52-22-01a1e08d-aa00-7a31-b379-e02666a545a7.jsonl`
    expect(keptPaths(agent, '01a1e08d-a941-7703-bece-b8f1df2ff73b', io())).toEqual([own, `${own}.zst`, child])
    expect(keptPaths(agent, '01a1e08d-aa00-7a31-b379-e02666a545a7', io())).toEqual([child, `${child}.zst`])
  })

  test('for a fork of a fork, the two rollouts before it, as shared parts', () => {
    const own = `${day}18-49-30-01a1e08b-08ef-7a23-bfc3-0ef0b3dd66b4.jsonl`
    expect(keptPaths(agent, '01a1e08b-08ef-7a23-bfc3-0ef0b3dd66b4', io())).toEqual([
      own,
      `${own}.zst`,
      `${day}18-43-39-01a1e085-aeae-7b20-bd68-1895ac30e981.jsonl shared`,
      `${day}18-45-26-01a1e087-4e16-77e1-82c7-1065bde2074d.jsonl shared`,
    ])
  })

  test('the file of names, for a session that has one', () => {
    const home = io()
    const native = '01a1e088-e27c-7880-a212-3503aab31b55'
    expect(keptPaths(agent, native, home).at(-1)).toBe('session_index.jsonl shared')
    rmSync(join(home.home, '.codex', 'session_index.jsonl'))
    expect(keptPaths(agent, native, home).at(-1)).toBe(`${day}18-47-09-${native}.jsonl.zst`)
  })

  test.each([
    'config.toml',
    'auth.json',
    'state_5.sqlite',
    'sessions/x/hook.sh',
    'sessions/../config.toml',
    'skills/a/SKILL.md',
  ])('%s is not let in', (path) => {
    expect(isLetIn(agent, path)).toBe(false)
  })
})
