import { expect, test } from 'vitest'
import { scratchIo } from '../../../../test/support/scratch.ts'
import { type ServeOptions, type ServeSettings, serveSettings } from './settings.ts'

function settings(options: Partial<ServeOptions> = {}, env: Record<string, string> = {}): ServeSettings {
  return serveSettings(options, { ...scratchIo(undefined, env), cwd: '/home/dev' })
}

test("the defaults are agentapi's", () => {
  expect(settings()).toEqual({
    host: '127.0.0.1',
    port: 3284,
    mayMove: true,
    chatBasePath: '/chat',
    allowedHosts: ['localhost', '127.0.0.1', '[::1]'],
    allowedOrigins: ['http://localhost:3284', 'http://localhost:3000', 'http://localhost:3001'],
    needsToken: true,
    tokenFile: undefined,
    stateFile: undefined,
    loadsState: true,
    savesState: true,
    pidFile: undefined,
    size: undefined,
    initialPrompt: undefined,
    type: undefined,
  })
})

test('every variable of agentapi is read, with spaces in lists, and a flag takes precedence', () => {
  const env = {
    AGENTAPI_PORT: '4000',
    AGENTAPI_CHAT_BASE_PATH: '/apps/x/',
    AGENTAPI_ALLOWED_HOSTS: 'a.example b.example',
    AGENTAPI_ALLOWED_ORIGINS: 'https://A.example https://b.example:8443',
    AGENTAPI_TERM_WIDTH: '67',
    AGENTAPI_TERM_HEIGHT: '1190',
    AGENTAPI_INITIAL_PROMPT: 'do it',
    AGENTAPI_STATE_FILE: 'state.json',
    AGENTAPI_LOAD_STATE: 'true',
    AGENTAPI_SAVE_STATE: 'false',
    AGENTAPI_PID_FILE: '/run/x.pid',
    AGENTAPI_TYPE: 'custom',
  }
  expect(settings({}, env)).toMatchObject({
    port: 4000,
    mayMove: false,
    chatBasePath: '/apps/x',
    allowedHosts: ['a.example', 'b.example'],
    allowedOrigins: ['https://a.example', 'https://b.example:8443'],
    size: { columns: 67, rows: 1190 },
    initialPrompt: 'do it',
    stateFile: '/home/dev/state.json',
    loadsState: true,
    savesState: false,
    pidFile: '/run/x.pid',
    type: 'custom',
  })
  const flags = { port: '5000', allowedHosts: 'c.example,d.example', saveState: true as const, chatBasePath: '/' }
  expect(settings(flags, env)).toMatchObject({
    port: 5000,
    allowedHosts: ['c.example', 'd.example'],
    savesState: true,
    chatBasePath: '',
  })
})

test('the address it listens on is an allowed Host name; a wildcard is not', () => {
  expect(settings({ host: '10.0.0.5' }).allowedHosts).toContain('10.0.0.5')
  expect(settings({ host: 'fd00::5' }).allowedHosts).toContain('[fd00::5]')
  expect(settings({ host: '0.0.0.0' }).allowedHosts).toEqual(['localhost', '127.0.0.1', '[::1]'])
})

test('invalid values are refused', () => {
  const wrong: Partial<ServeOptions>[] = [
    { port: 'x' },
    { port: '70000' },
    { port: '-1' },
    { termWidth: '5' },
    { saveState: 'maybe' },
    { allowedHosts: 'http://a.example' },
    { allowedHosts: 'a.example:80' },
    { allowedOrigins: 'a.example' },
    { chatBasePath: '/../x' },
    { chatBasePath: 'chat"><script>' },
    { token: false, host: '0.0.0.0' },
    { token: false, host: 'work.example' },
  ]
  for (const options of wrong) expect(() => settings(options)).toThrow(expect.objectContaining({ kind: 'usage' }))
  expect(settings({ token: false })).toMatchObject({ needsToken: false })
  expect(settings({ token: false, host: 'localhost' })).toMatchObject({ needsToken: false })
})
