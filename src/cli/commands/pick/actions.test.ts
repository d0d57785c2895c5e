import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeClaude } from '../../../../test/e2e/claude-session.ts'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import { openCatalog } from '../../../catalog/open.ts'
import { PickerActions } from './actions.ts'

test('exporting to an existing file says what to do in the picker, not on the command line', async () => {
  const io = scratchIo()
  const where = { root: io.home, home: io.home, ionHome: io.env.ION_HOME! }
  writeClaude(where, { id: '3f2a0000-0000-4000-8000-000000000001' })
  const catalog = openCatalog(io)
  onTestFinished(() => catalog.close())
  catalog.refresh()
  const rows = catalog.sessions()
  const path = join(io.home, 'taken.md')
  writeFileSync(path, '')
  const actions = new PickerActions(catalog, fakeContext(io))
  const taken = { message: `${path} already exists`, hint: 'choose another name' }
  await expect(actions.perform({ kind: 'export', path, rows })).rejects.toMatchObject(taken)
  await expect(actions.perform({ kind: 'share', path: '~/taken.md', rows })).rejects.toMatchObject(taken)
  const both = [...rows, ...rows]
  await expect(actions.perform({ kind: 'export', path, rows: both })).rejects.toMatchObject({
    message: `${path} is a file, but several sessions need a folder`,
    hint: 'choose another name',
  })
})
