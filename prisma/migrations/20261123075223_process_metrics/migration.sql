-- CreateTable
CREATE TABLE "processes" (
    "id" TEXT COLLATE "C" NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "roles" TEXT[],
    "version" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "stopped_at" TIMESTAMPTZ(3),
    "state" JSONB NOT NULL,

    CONSTRAINT "processes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "process_metrics" (
    "process_id" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "requests" INTEGER NOT NULL,
    "errors" INTEGER NOT NULL,
    "latency" INTEGER[],
    "live_documents" INTEGER NOT NULL,
    "live_connections" INTEGER NOT NULL,
    "loop_delay_ms" DOUBLE PRECISION NOT NULL,
    "backlog" JSONB NOT NULL,

    CONSTRAINT "process_metrics_pkey" PRIMARY KEY ("process_id","at")
);

-- CreateIndex
CREATE INDEX "process_metrics_at_idx" ON "process_metrics"("at");

-- AddForeignKey
ALTER TABLE "process_metrics" ADD CONSTRAINT "process_metrics_process_id_fkey" FOREIGN KEY ("process_id") REFERENCES "processes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
