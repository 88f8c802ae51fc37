void run(Absent a) {
  auto f = [=] __device__(int i) { return a[i]; };
  absent::each(f);
}
struct Log : Absent {};
