struct Wide { __extension__ union { int a; float b; }; };
