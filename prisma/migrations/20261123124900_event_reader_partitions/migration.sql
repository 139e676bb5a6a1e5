-- CreateTable
CREATE TABLE "event_reader_partitions" (
    "name" TEXT NOT NULL,
    "partition" INTEGER NOT NULL,
    "sequence" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_reader_partitions_pkey" PRIMARY KEY ("name","partition")
);

-- AddForeignKey
ALTER TABLE "event_reader_partitions" ADD CONSTRAINT "event_reader_partitions_name_fkey" FOREIGN KEY ("name") REFERENCES "event_readers"("name") ON DELETE CASCADE ON UPDATE NO ACTION;
