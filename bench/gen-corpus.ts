// Makes a corpus by hand; `npm run bench` makes its own.
//   node --import tsx bench/gen-corpus.ts --out DIR --mb 200 --seed 1        sessions of all sizes
//   node --import tsx bench/gen-corpus.ts --out DIR --tiny 5000 --seed 7     5,000 tiny ones
//   node --import tsx bench/gen-corpus.ts --out DIR --mb 400 --rows          sessions in databases
//   node --import tsx bench/gen-corpus.ts --one-file F.jsonl --mb 300        one large one
import { parseArgs } from 'node:util'
import { writeCorpus, writeOneFile, writeRowsCorpus, writeTinyCorpus } from './corpus/main.ts'

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    mb: { type: 'string' },
    seed: { type: 'string' },
    tiny: { type: 'string' },
    rows: { type: 'boolean', default: false },
    'one-file': { type: 'string' },
  },
})
const { out, mb = '200', seed = '1', tiny, rows, 'one-file': oneFile } = values
if (!out && !oneFile) {
  console.error('no target given\n  -> --out <folder> or --one-file <file>')
  process.exit(2)
}
const totals = oneFile
  ? writeOneFile(oneFile, Number(mb), Number(seed))
  : tiny
    ? writeTinyCorpus(out!, Number(tiny), Number(seed), values)
    : rows
      ? writeRowsCorpus(out!, Number(mb), Number(seed), values)
      : writeCorpus(out!, Number(mb), Number(seed), values)
console.log(JSON.stringify(totals))
