// @ts-check
import { inflateRawSync } from 'node:zlib';

/**
 * Stores the sealed days once more for the programs that ours is compared with: as objects, as plain text, and as the
 * deflated pieces that ours sends.
 * @param {import('@tributary/database').Database} database
 * @param {string} link
 * @param {readonly string[]} campaigns
 */
export async function copyDays({ db }, link, campaigns) {
  const keys = campaigns.map((id) => ({
    _id: { $gte: `${link}.c.${id}.`, $lt: `${link}.c.${id}/` },
  }));
  const days = (
    await Promise.all(
      keys.map((key) =>
        db
          .collection('statDays')
          .find(/** @type {{}} */ (key))
          .toArray(),
      ),
    )
  ).flat();
  const copies = days.map((day) => {
    const [, , campaign, date] = String(day._id).split('.');
    const head = Buffer.alloc(12);
    head.writeUInt32LE(day.n, 0);
    head.writeUInt32LE(day.c, 4);
    head.writeUInt32LE(day.o, 8);
    const plain = inflateRawSync(day.z, { finishFlush: 2 });
    return { _id: `${campaign}.${date}`, plain, packed: Buffer.concat([head, day.z]) };
  });
  /** @type {Record<string, object[]>} */
  const collections = {
    naiveDays: copies.map(({ _id, plain }) => ({ _id, ...JSON.parse(plain.toString()) })),
    plainFragments: copies.map(({ _id, plain }) => ({ _id, f: plain })),
    packedFragments: copies.map(({ _id, packed }) => ({ _id, f: packed })),
  };
  for (const [name, documents] of Object.entries(collections)) {
    for (let start = 0; start < documents.length; start += 500) {
      await db.collection(name).insertMany(documents.slice(start, start + 500));
    }
  }
}
